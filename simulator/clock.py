"""A clock that moves only when it is told to, with timers on the way; it never looks at the real time."""

import heapq
import itertools
import threading
from collections.abc import Callable

START = 1_800_000_000.0
"""Where the wall clock begins: an arbitrary whole second in 2027."""


class ManualClock:
    """`sources.clocks.Clock` by hand: `advance` moves both clocks and runs what falls due, each at its own moment.

    Timers and listeners run in the thread that advances, without the clock's lock, so they may ask the clock.
    """

    def __init__(self, now: float = START) -> None:
        self._lock = threading.Lock()
        self._elapsed = 0.0
        self._wall = now
        self._numbers = itertools.count()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._listeners: list[Callable[[], None]] = []

    def now(self) -> float:
        """Return Unix seconds."""
        with self._lock:
            return self._wall

    def monotonic(self) -> float:
        """Return seconds since the clock was made."""
        with self._lock:
            return self._elapsed

    def call_after(self, seconds: float, action: Callable[[], None]) -> None:
        """Run `action` once the clock has moved on by `seconds`; with 0 at its next movement."""
        with self._lock:
            heapq.heappush(self._timers, (self._elapsed + seconds, next(self._numbers), action))

    def on_move(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each movement."""
        with self._lock:
            self._listeners.append(listener)

    def advance(self, seconds: float) -> None:
        """Move on, stopping at every timer on the way."""
        if seconds < 0:
            raise ValueError(f"cannot advance by {seconds} s; allowed is 0 or more (`jump` sets the wall clock back)")
        end = self.monotonic() + seconds
        while (action := self._step(end)) is not None:
            action()
        self._tell()

    def jump(self, seconds: float) -> None:
        """Set the wall clock forward or back without the monotonic one, as a time server's correction does."""
        with self._lock:
            self._wall += seconds
        self._tell()

    def _step(self, end: float) -> Callable[[], None] | None:
        with self._lock:
            due = bool(self._timers) and self._timers[0][0] <= end
            moment = max(self._timers[0][0], self._elapsed) if due else max(end, self._elapsed)
            self._wall += moment - self._elapsed
            self._elapsed = moment
            return heapq.heappop(self._timers)[2] if due else None

    def _tell(self) -> None:
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()


class SteppingEvent(threading.Event):
    """A stop event whose waiting is the passing of simulated time: `wait(5)` moves the clock on by 5 s at once.

    It sets itself when the clock reaches `stop_at` (monotonic), so that a loop under test ends.
    """

    def __init__(self, clock: ManualClock, *, stop_at: float = float("inf")) -> None:
        super().__init__()
        self._clock = clock
        self._stop_at = stop_at

    def wait(self, timeout: float | None = None) -> bool:
        """Move the clock instead of sleeping; without a timeout, up to `stop_at`."""
        left = max(self._stop_at - self._clock.monotonic(), 0.0)
        if not self.is_set():
            self._clock.advance(left if timeout is None else min(timeout, left))
        if self._clock.monotonic() >= self._stop_at:
            self.set()
        return self.is_set()
