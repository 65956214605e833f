"""Time as an argument of everything that waits or stamps; it must not be read anywhere else.

Waiting is `threading.Event.wait` on the stop event, so that a task that sleeps ends at once when it is told to.
"""

import time
from typing import Final, Protocol

# Linux's monotonic clock stands still while the machine sleeps or its VM is suspended: a leader would wake up and
# believe that its lease is a moment old. This one counts on.
_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Clock(Protocol):
    """Wall time and steady time."""

    def now(self) -> float:
        """Return Unix seconds; may jump when the machine's clock is set."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never jump and count while the machine sleeps; only differences mean anything."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> float:
        """Return Unix seconds of the machine."""
        return time.time()

    def monotonic(self) -> float:
        """Return the machine's steady seconds."""
        return time.clock_gettime(_STEADY)
