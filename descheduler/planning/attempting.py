"""The thread that makes plans, one after the other: takes a request, makes the attempt, rests after a failed plan."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from descheduler.planning.desk import Desk
from descheduler.planning.planner import Planner
from descheduler.planning.results import BUSY, STANDBY, UNREADABLE, Result
from descheduler.planning.triggers import FAILURE
from policies.model.loading import Loaded
from policies.values.plans import PlanPhase
from sources.clocks import Clock

_WAIT: Final = 1.0
_LOOK_EVERY: Final = 2.0  # a new leader closes what is open, whether or not a plan is wanted
_LONGEST_REST: Final = 300.0  # arbitrary: a plan that fails for a reason that stays costs a solve every five minutes
_FAILED: Final = frozenset({str(PlanPhase.ABORTED), str(PlanPhase.TIMED_OUT)})
_NOT_MADE: Final = frozenset({STANDBY, BUSY, UNREADABLE})


@dataclass(slots=True)
class Attempts:
    """Makes the attempts that the desk asks for."""

    desk: Desk
    planner: Planner
    policy: Callable[[], Loaded]
    clock: Clock
    _failures: int = 0
    _ready_at: float = float("-inf")
    _rests_until: float = float("-inf")

    def run(self, stop: threading.Event) -> None:
        """Make attempts until `stop`; to be run under supervise()."""
        while not stop.is_set():
            if self.clock.monotonic() >= self._ready_at and not self.planner.ready():
                self._ready_at = self.clock.monotonic() + _LOOK_EVERY
            self.step(stop, timeout=_WAIT)

    def step(self, stop: threading.Event, *, timeout: float) -> Result | None:
        """Wait a while for a request and make the attempt; None where there was none, or a failed plan rests."""
        rest = self._rests_until - self.clock.monotonic()
        if rest > 0:
            stop.wait(min(rest, timeout))
            return None
        asked = self.desk.take(timeout, stop=stop)
        if asked is None:
            return None
        result = None
        try:
            result = self.planner.attempt(asked, self.policy(), self.desk)
        finally:
            self.desk.done()
            if asked.trigger == FAILURE and (result is None or result.outcome in _FAILED | _NOT_MADE):
                self.desk.ask(asked)  # the pods still wait, and nothing about them need ever change
        self._rest(result)
        return result

    def _rest(self, result: Result) -> None:
        """Rest after a plan that failed, each time twice as long: what made it fail may still be so.

        An attempt that could not be made is made again a moment later.
        """
        if result.outcome in _NOT_MADE:
            self._rests_until = self.clock.monotonic() + _WAIT
            return
        if result.outcome not in _FAILED:
            self._failures = 0
            return
        self._failures += 1
        pace = self.policy().policy.plan.interval
        self._rests_until = self.clock.monotonic() + min(_LONGEST_REST, pace * 2 ** min(self._failures - 1, 10))
