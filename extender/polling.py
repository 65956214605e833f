"""Signals and slacks at the policy's pace into the board; computes no score and asks no query by itself."""

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from extender.board import Readings
from extender.memory import Memory
from policies.buoyancy.standing import NO_SLACKS, NodeSlacks
from policies.values.signals import SignalHistory
from sources.clocks import Clock

# While pods sleep for want of buoyancy, the first sample that shows it must find them within 2 s.
EAGER: Final = 1.0
# Polls may take half of the time, however eager. Less would break those 2 s: the first poll, which starts the child
# that reads, takes seconds, and one on a busy machine half a second.
_SHARE: Final = 2
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

    def failures(self) -> Mapping[str, str]:
        """Say in words what is wrong, by query."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where one policy's values come from; `slacks` None where the policy has no objective, `close` lets them go."""

    signals: NodeSignals
    slacks: Slacks | None = None
    close: Callable[[], None] = lambda: None

    def troubles(self) -> dict[str, str]:
        """Say in words what keeps slacks from being known."""
        return {} if self.slacks is None else dict(self.slacks.failures())


class Poller:
    """Polls until told to stop. `sources` is replaced as a whole when the policy changes.

    `asks_at` gives the moment (Unix seconds) that sources are asked about. A clock that lags behind theirs would hide
    the newest samples.
    """

    def __init__(
        self, memory: Memory, sources: Sources, *, clock: Clock, asks_at: Callable[[], float] | None = None
    ) -> None:
        self.sources = sources
        self._asks_at = asks_at or clock.now
        self._memory = memory
        self._board = memory.board
        self._clock = clock
        self._due = -math.inf
        self._soonest = -math.inf

    def run(self, stop: threading.Event) -> None:
        """Poll whenever it is time to."""
        while not stop.is_set():
            if self._clock.monotonic() >= self._due:
                self.poll()
            stop.wait(self.pause())

    def hurry(self) -> None:
        """Poll next, as after a change of policy."""
        self._due = -math.inf

    def poll(self) -> None:
        """Read everything once and set when to do it again."""
        began, sources = self._clock.monotonic(), self.sources
        history = sources.signals.latest(self._asks_at())
        slacks = NO_SLACKS if sources.slacks is None else sources.slacks.newest()
        if sources is not self.sources:
            return  # read for a policy that is not in force any more; it is still time to poll
        self._board.take(Readings(history=history, slacks=slacks), now=self._clock.now())
        took = self._clock.monotonic() - began
        self._soonest = began + max(EAGER, took * _SHARE)
        self._due = began + self._memory.rulings.current.policy.signals.step

    def pause(self) -> float:
        """Return how long to wait, at most a second; while pods sleep, the next poll is brought forward."""
        now = self._clock.monotonic()
        if self._memory.holding.sleepers():
            self._due = min(self._due, self._soonest)
        return max(_SHORTEST, min(EAGER, self._due - now))


class Ager:
    """Lets values become stale the moment they do, whatever a poll is waiting for meanwhile."""

    def __init__(self, memory: Memory, *, clock: Clock) -> None:
        self._board = memory.board
        self._clock = clock

    def run(self, stop: threading.Event) -> None:
        """Age until told to stop."""
        while not stop.wait(self.pause()):
            self.step()

    def step(self) -> None:
        """Compute the board anew if something has become stale."""
        now = self._clock.now()
        if now > self._board.expires():
            self._board.age(now=now)

    def pause(self) -> float:
        """Return how long nothing can become stale, at most a second: a poll may bring older values."""
        return max(_SHORTEST, min(EAGER, self._board.expires() - self._clock.now()))
