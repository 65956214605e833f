"""The one way to run a background task: log, count, restart with back-off, say how it is doing.

It knows nothing of what a task does, and it starts no thread: the caller runs `supervise` in one.
"""

import logging
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from sources.clocks import Clock, SystemClock

_LOG = logging.getLogger(__name__)
_FIRST_PAUSE: Final = 0.5  # arbitrary: short enough that one hiccup goes unnoticed
_LONGEST_PAUSE: Final = 30.0
_SETTLED_AFTER: Final = 60.0  # a task that ran this long has recovered: its next failure starts the back-off anew


class TaskState(StrEnum):
    """What a background task is doing."""

    STARTING = "starting"
    RUNNING = "running"
    FAILING = "failing"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskHealth:
    """One task: its state, how often it was started again, and in words what is wrong with it (empty: nothing)."""

    state: TaskState = TaskState.STARTING
    restarts: int = 0
    detail: str = ""


class Health:
    """What is known of every background task; safe to use from any thread."""

    def __init__(self) -> None:
        self._tasks: dict[str, TaskHealth] = {}
        self._lock = threading.Lock()

    def report(self, name: str, state: TaskState, detail: str = "") -> None:
        """Say how a task is doing; the count of restarts stays as it is."""
        with self._lock:
            self._tasks[name] = replace(self._tasks.get(name, TaskHealth()), state=state, detail=detail)

    def restarted(self, name: str, detail: str) -> None:
        """Count one more restart of a task that failed or returned."""
        with self._lock:
            restarts = self._tasks.get(name, TaskHealth()).restarts + 1
            self._tasks[name] = TaskHealth(state=TaskState.FAILING, restarts=restarts, detail=detail)

    def tasks(self) -> Mapping[str, TaskHealth]:
        """Return every task by name, as known now."""
        with self._lock:
            return dict(self._tasks)

    def troubles(self) -> tuple[str, ...]:
        """Say in words which tasks are not running as they should."""
        return tuple(
            f"{name}: {task.state}" + (f" ({task.detail})" if task.detail else "")
            for name, task in sorted(self.tasks().items())
            if task.state is not TaskState.RUNNING or task.detail
        )


def supervise(
    name: str,
    run: Callable[[], None],
    *,
    stop: threading.Event,
    health: Health,
    clock: Clock | None = None,
) -> None:
    """Run a task until `stop` is set, starting it again with growing pauses whenever it fails or returns."""
    clock = clock or SystemClock()
    failures = 0
    while not stop.is_set():
        health.report(name, TaskState.RUNNING)
        began = clock.monotonic()
        detail = _run_once(name, run)
        if stop.is_set():
            break
        failures = 1 if clock.monotonic() - began > _SETTLED_AFTER else failures + 1
        health.restarted(name, detail)
        stop.wait(_pause(failures))
    health.report(name, TaskState.STOPPED)


def _run_once(name: str, run: Callable[[], None]) -> str:
    try:
        run()
    except Exception as problem:  # noqa: BLE001  # the boundary of every task: nothing may end one silently
        _LOG.exception("task %s failed, it will be started again", name)
        return f"{type(problem).__name__}: {problem}"
    return "it returned although nobody stopped it"


def _pause(failures: int) -> float:
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(failures - 1, 10))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311  # jitter against restarts in step, not a secret
