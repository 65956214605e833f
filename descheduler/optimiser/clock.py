"""How much of a solve's time is used: wall clock, or CP-SAT's own measure where a run must be repeatable."""

import time
from typing import Final

from descheduler.optimiser.solution import Options, Stop

_AFTER: Final = 4e-6  # seconds a pod for what follows the search: reading its answer, vectors


class Clock:
    """Started when the solve starts. In deterministic mode only what solves report as their effort counts."""

    def __init__(self, options: Options, stop: Stop, *, pods: int) -> None:
        self.deterministic = options.deterministic is not None
        after = min(0.1 * options.time_limit, 0.02 + pods * _AFTER)
        self.limit = options.time_limit - after if options.deterministic is None else options.deterministic
        self._stop = stop
        self._started = time.monotonic()
        self._spent = 0.0

    def wall(self) -> float:
        """Return the seconds since the start, for people."""
        return time.monotonic() - self._started

    def used(self) -> float:
        """Return how much is used."""
        return self._spent if self.deterministic else self.wall()

    def left(self) -> float:
        """Return how much is left; nothing once the stop is set."""
        return 0.0 if self._stop.is_set() else max(0.0, self.limit - self.used())

    def over(self) -> bool:
        """Whether the solve is to end."""
        return self.left() <= 0.0

    def charge(self, effort: float) -> None:
        """Count what a solve took; in deterministic mode a solve is never free, or a search might go on forever."""
        self._spent += max(effort, 0.002)
