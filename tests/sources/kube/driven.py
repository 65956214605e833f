"""A real `ClusterWatch` driven step by step: everything rests between two steps, and what was true when is kept.

Its threads wait on the simulated clock only, so that a step has ended exactly when each of them waits for more.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.jsons import Raw
from sources.kube.cluster_watch import Change, ClusterWatch, WatchSettings
from sources.kube.kinds import NODES, PDBS, PODS, Kind
from sources.kube.listing import Listed, list_kind
from tests.sources.waiting import eventually

WATCHED: Final[tuple[Kind[Any], ...]] = tuple(replace(kind, page=2) for kind in (NODES, PDBS, PODS))
State = Mapping[str, Listed[Any]]
"""What the server holds, by kind."""


class ClockedEvent(threading.Event):
    """A stop event whose waits end when the simulated clock has come that far, whoever moves it."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self._clock = clock
        self._moved = threading.Condition()
        self._until: list[float] = []
        clock.on_move(self._tell)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the clock has moved on by `timeout`, or it is set."""
        until = self._clock.monotonic() + (float("inf") if timeout is None else timeout)
        with self._moved:
            self._until.append(until)
            while not self.is_set() and self._clock.monotonic() < until:
                self._moved.wait(1.0)
            self._until.remove(until)
        return self.is_set()

    def set(self) -> None:
        """End all waits."""
        super().set()
        self._tell()

    def waiting(self) -> int:
        """Return how many wait for a moment that has not come yet."""
        with self._moved:
            return sum(until > self._clock.monotonic() for until in self._until)

    def _tell(self) -> None:
        with self._moved:
            self._moved.notify_all()


@dataclass(frozen=True, slots=True)
class Moment:
    """What was true from a moment on (monotonic seconds)."""

    since: float
    state: State


class Driven:
    """A server, a watch of it under the user `watch`, what was true since when, and what the listener made of it."""

    def __init__(self, *objects: Raw) -> None:
        self.server = ApiServer(ManualClock())
        self.server.put(*objects)
        self.stop = ClockedEvent(self.server.clock)
        self.watch = ClusterWatch(
            self.server.connect("watch"),
            settings=WatchSettings(kinds=WATCHED, clock=self.server.clock, seed=1),
            on_change=self._hear,
        )
        self.heard: dict[str, dict[str, Any]] = {kind.name: {} for kind in WATCHED}
        self.unexplained: list[Change] = []
        self.moments = [Moment(0.0, self.truth())]
        self._one_change = threading.Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Watch until the block ends."""
        self.watch.start(self.stop)
        try:
            self.rest()
            yield
        finally:
            self.stop.set()
            while not self.watch.join(0.01):
                self.server.end_watches()

    def truth(self) -> dict[str, Listed[Any]]:
        """Return what a fresh read of the same server gives."""
        return {kind.name: list_kind(self.server.connect("truth"), kind) for kind in WATCHED}

    def change(self, happen: Callable[[], object]) -> None:
        """Let something happen to objects, and keep what is true since."""
        with self._one_change:
            happen()
            self.moments.append(Moment(self.server.clock.monotonic(), self.truth()))

    def rest(self) -> None:
        """Return once every thread waits for the clock or for an event that has not happened."""
        eventually(lambda: self.server.watches.idle() + self.stop.waiting() == len(WATCHED), within=10.0)

    def pass_time(self, seconds: float) -> None:
        """Move the clock on."""
        self.server.clock.advance(seconds)
        self.rest()

    def true_within(self, seconds: float) -> list[State]:
        """Return everything that was true at some time of the last seconds."""
        began = self.server.clock.monotonic() - seconds
        ends = [moment.since for moment in self.moments[1:]] + [float("inf")]
        return [moment.state for moment, end in zip(self.moments, ends, strict=True) if end >= began]

    def _hear(self, change: Change) -> None:
        key = _key(change.before or change.after)
        known = self.heard[change.kind]
        if known.get(key) != change.before or change.before == change.after:
            self.unexplained.append(change)
        known[key] = change.after
        if change.after is None:
            del known[key]


def _key(value: Any) -> str:  # a node, pod or budget
    """Return what a value is known by in its store."""
    return str(getattr(value, "uid", None) if hasattr(value, "phase") else _path(value))


def _path(value: Any) -> str:  # a node or budget
    return f"{value.namespace}/{value.name}" if hasattr(value, "namespace") else value.name
