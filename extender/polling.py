"""Signals and slacks at the policy's pace into the board; computes no score and asks no query by itself."""

import math
import threading
from dataclasses import dataclass
from typing import Final, Protocol

from extender.board import Readings
from extender.memory import Memory
from policies.buoyancy.standing import NodeSlacks
from policies.values.signals import SignalHistory
from sources.clocks import Clock

# While pods sleep for want of buoyancy, the first sample that shows it must find them within 2 s.
EAGER: Final = 1.0
# A poll may take no more than a tenth of the time, however eager.
_SHARE: Final = 10
_SHORTEST: Final = 0.05


class NodeSignals(Protocol):
    """The newest readings of nodes and workloads."""

    def latest(self, at: float) -> SignalHistory:
        """Return one column of readings."""
        ...


class Slacks(Protocol):
    """The least slack of each node's pods, folded elsewhere from one series a pod."""

    def newest(self) -> NodeSlacks:
        """Return what is known now, without waiting."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where a policy's values come from, opened anew for each policy."""

    signals: NodeSignals
    slacks: Slacks


class Poller:
    """Polls until told to stop; in between it lets values grow old the moment they do.

    `sources` is replaced as a whole when the policy changes.
    """

    def __init__(self, memory: Memory, sources: Sources, *, clock: Clock) -> None:
        self.sources = sources
        self._memory = memory
        self._board = memory.board
        self._clock = clock
        self._due = -math.inf
        self._took = 0.0

    def run(self, stop: threading.Event) -> None:
        """Poll and age."""
        while not stop.is_set():
            self.step()
            stop.wait(self.pause())

    def step(self) -> None:
        """Poll if it is time to, else age what is known if something has become stale."""
        if self._clock.monotonic() >= self._due:
            self.poll()
        elif self._clock.now() > self._board.expires():
            self._board.age(now=self._clock.now())

    def hurry(self) -> None:
        """Let the next step poll, as after a change of policy."""
        self._due = -math.inf

    def poll(self) -> None:
        """Read everything once and set when to do it again."""
        began, now = self._clock.monotonic(), self._clock.now()
        history = self.sources.signals.latest(now)
        self._board.take(Readings(history=history, slacks=self.sources.slacks.newest()), now=self._clock.now())
        self._took = self._clock.monotonic() - began
        self._due = began + self._memory.rulings.current.policy.signals.step

    def pause(self) -> float:
        """Return how long nothing has to be done; while pods sleep, the next poll is brought forward."""
        now = self._clock.monotonic()
        if self._memory.holding.sleepers():
            self._due = min(self._due, now + max(EAGER, self._took * _SHARE))
        until_stale = self._board.expires() - self._clock.now()
        waits = [EAGER, self._due - now, *([until_stale] if until_stale > 0 else [])]
        return max(_SHORTEST, min(waits))
