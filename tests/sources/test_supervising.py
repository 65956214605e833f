"""Background tasks are logged, counted and started again, and say how they are doing."""

import threading
import time
from collections.abc import Callable

import pytest

from simulator.clock import ManualClock
from sources.clocks import Clock, SystemClock
from sources.supervising import Health, TaskState, supervise


class Impatient(threading.Event):
    """A stop event that notes pauses instead of waiting, and is set after so many."""

    def __init__(self, pauses: int) -> None:
        super().__init__()
        self.pauses: list[float] = []
        self._most = pauses

    def wait(self, timeout: float | None = None) -> bool:
        """Note the pause."""
        self.pauses.append(timeout or 0.0)
        if len(self.pauses) >= self._most:
            self.set()
        return self.is_set()


def fail() -> None:
    raise LookupError("no such berth")


def run(task: Callable[[], None], *, times: int, clock: Clock | None = None) -> tuple[Impatient, Health]:
    stop, health = Impatient(times), Health()
    supervise("loading", task, stop=stop, health=health, clock=clock or ManualClock())
    return stop, health


def test_failing_task_is_started_again_with_growing_pauses(caplog: pytest.LogCaptureFixture) -> None:
    stop, health = run(fail, times=12)

    for earlier, pause in enumerate(stop.pauses):
        longest = min(30.0, 0.5 * 2**earlier)
        assert longest / 2 <= pause <= longest
    assert health.tasks()["loading"].restarts == 12
    assert "task loading failed" in caplog.text
    assert "no such berth" in caplog.text


def test_task_that_returns_is_started_again() -> None:
    _, health = run(lambda: None, times=2)

    assert health.tasks()["loading"].restarts == 2


def test_task_that_ran_long_begins_with_short_pauses_again() -> None:
    clock = ManualClock()

    def settle() -> None:
        clock.advance(61)
        fail()

    stop, _ = run(settle, times=5, clock=clock)

    assert max(stop.pauses) <= 0.5


def test_task_is_not_started_again_after_stop() -> None:
    stop, health = threading.Event(), Health()

    supervise("loading", stop.set, stop=stop, health=health)

    assert health.tasks()["loading"].state is TaskState.STOPPED
    assert health.tasks()["loading"].restarts == 0


def test_health_tells_troubles_in_words() -> None:
    health = Health()
    health.report("fine", TaskState.RUNNING)
    health.report("slow", TaskState.RUNNING, "behind by 3 s")
    health.report("new", TaskState.STARTING)
    health.restarted("broken", "LookupError: no such berth")
    health.report("broken", TaskState.FAILING, "LookupError: no such berth")

    assert health.troubles() == (
        "broken: failing (LookupError: no such berth)",
        "new: starting",
        "slow: running (behind by 3 s)",
    )
    assert health.tasks()["broken"].restarts == 1


def test_system_clock_goes_on() -> None:
    clock = SystemClock()

    assert clock.now() > 1_700_000_000
    assert clock.monotonic() <= clock.monotonic()


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="only Linux has a clock that counts in suspension")
def test_system_clock_counts_while_the_machine_sleeps() -> None:
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    seen = SystemClock().monotonic()

    assert before <= seen <= time.clock_gettime(time.CLOCK_BOOTTIME)
