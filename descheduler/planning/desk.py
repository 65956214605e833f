"""Between whoever wants a plan and the one thread that makes plans: what is asked for and what is going on.

It decides nothing. Requests are coalesced: while one waits or runs, further ones of the same trigger are one.
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from descheduler.planning.problems.measured import NOTHING_MEASURED, Measured

RELIEF: Final = "relief"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a trigger asks for. `relief` are the UIDs of pods that must leave their nodes, with what was measured.

    `otherwise` are other pods of the same nodes, to be tried in turn where no plan takes those.
    `at` (monotonic seconds) is when that was measured: a request may wait long, and neither stays true.
    """

    trigger: str
    relief: frozenset[str] = frozenset()
    otherwise: tuple[frozenset[str], ...] = ()
    measured: Measured = NOTHING_MEASURED
    at: float = -math.inf


@dataclass(slots=True)
class Desk:
    """Safe to use from any thread."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: dict[str, Asked] = field(default_factory=dict)
    _asked: threading.Event = field(default_factory=threading.Event)
    _cancelled: threading.Event = field(default_factory=threading.Event)
    _computing: str = ""
    _measured: tuple[Measured, float] = (NOTHING_MEASURED, -math.inf)
    _busy: bool = False

    @property
    def busy(self) -> bool:
        """Whether a request waits or an attempt is going on."""
        return self._busy or bool(self._waiting)

    @property
    def computing(self) -> str:
        """The trigger of the solve that is running, empty while there is none."""
        return self._computing

    def tell(self, measured: Measured, *, at: float) -> None:
        """Say what was measured at a moment, for requests that bring nothing of their own."""
        self._measured = measured, at

    def ask(self, asked: Asked) -> None:
        """Ask for a plan; the newest request of a trigger takes the place of the one before."""
        if asked.measured is NOTHING_MEASURED:
            measured, at = self._measured
            asked = replace(asked, measured=measured, at=at)
        with self._lock:
            self._waiting[asked.trigger] = asked
            self._asked.set()

    def take(self, timeout: float, *, stop: threading.Event) -> Asked | None:
        """Return the next request, waiting for it a while; the attempt at it goes on until `done`."""
        if not self._waiting and not stop.is_set():
            self._asked.wait(timeout)
        with self._lock:
            self._asked.clear()
            if not self._waiting or stop.is_set():
                return None
            # Relief first: a node is in trouble, while the pending pods wait anyway.
            trigger = RELIEF if RELIEF in self._waiting else next(iter(self._waiting))
            self._cancelled.clear()
            self._busy = True
            return self._waiting.pop(trigger)

    def done(self) -> None:
        """Say that the attempt is over."""
        self._busy = False
        self._computing = ""

    def solving(self, trigger: str) -> None:
        """Say that a solve has begun, or with an empty trigger that it is over."""
        self._computing = trigger

    def cancel(self) -> None:
        """End the running solve soon."""
        self._cancelled.set()

    def wake(self) -> None:
        """Let `take` return now: the process ends."""
        self._asked.set()

    def is_set(self) -> bool:
        """Return whether the running solve is to end: a desk is what a solver looks at."""
        return self._cancelled.is_set()


def of_relief(candidates: Sequence[Sequence[str]], measured: Measured, *, at: float) -> Asked:
    """Return the request of a cycle whose victims have nowhere to go, as it was seen at a moment.

    `candidates` are the UIDs of each node's pods, the best victim first.
    """
    most = max(map(len, candidates))
    turns = [frozenset(uids[min(turn, len(uids) - 1)] for uids in candidates) for turn in range(most)]
    return Asked(trigger=RELIEF, relief=turns[0], otherwise=tuple(turns[1:]), measured=measured, at=at)
