"""Places for pending pods, tier by tier, by the cheapest way that works."""

from collections.abc import Callable
from typing import Final

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.heuristic.ejections import movers
from descheduler.optimiser.heuristic.rules import make_room
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.victims import evict_few
from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import Bools, Ints

_ASK: Final = 4  # pods between two looks at the clock


def fill(state: State, classes: Classes, options: Options, *, hopeless: Bools, after: Callable[[], bool]) -> None:
    """Place what can be placed without an eviction: best fit, one ejection, a chain, two ejections.

    `after` is asked after each tier and every few pods whether to go on.
    """
    price = len(state.where) if options.price is None else options.price
    filler = _Filler(state, classes, price, frozen=options.order == "frozen")
    tier = -1
    for position, pod in enumerate(waiting(state, hopeless)):
        new_tier = int(state.tables.tier[pod])
        if (new_tier > tier >= 0 or position % _ASK == 0) and not after():
            return
        tier = new_tier
        filler.place(pod)


class _Filler:
    """Places one pod after the other, and remembers what there is no place for as things stand."""

    def __init__(self, state: State, classes: Classes, price: int, *, frozen: bool) -> None:
        self._state, self._classes, self._price, self._frozen = state, classes, price, frozen
        self._failed: set[int] = set()

    def place(self, pod: int) -> None:
        """Place a pod by the cheapest way that works."""
        kind = int(self._classes.of[pod])
        if kind in self._failed:
            return
        if self._state.settle(pod) or self._eject(pod):
            self._failed.clear()
        else:
            self._failed.add(kind)

    def _eject(self, pod: int) -> bool:
        candidates = movers(self._state, pod, frozen=self._frozen)
        # Where moves cost nothing yet but the price allows none, only pods that are disturbed already may go.
        candidates.allowed[candidates.cost > self._price] = False
        return make_room(self._state, self._classes, pod, candidates, price=self._price)


def preempt(state: State, options: Options, *, hopeless: Bools, over: Callable[[], bool]) -> None:
    """Place what can be placed by evicting less important pods."""
    price = len(state.where) if options.price is None else options.price
    for pod in waiting(state, hopeless):
        if over():
            return
        if state.tables.tier[pod] < state.tables.tiers - 1 and price:
            evict_few(state, pod, price)


def waiting(state: State, hopeless: Bools) -> list[int]:
    """Return the pods without a place: most important tier first, in it those with the largest share of a node."""
    tables = state.tables
    index: Ints = np.flatnonzero((state.where < 0) & ~hopeless)
    share = (tables.requests[index] * tables.scale).max(axis=1, initial=0.0)
    return [int(pod) for pod in index[np.lexsort((index, -share, tables.tier[index]))]]
