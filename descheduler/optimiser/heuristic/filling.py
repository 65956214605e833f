"""Places for pending pods, tier by tier, by the cheapest way that works."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.heuristic.ejections import movers
from descheduler.optimiser.heuristic.rules import make_room
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.victims import evict_few
from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import Bools, Ints

_ROUNDS: Final = (0, 1, 2, 3, 4, 6, 8, 12, 16)  # what a pod may cost, round by round, until the price is reached


def fill(state: State, classes: Classes, options: Options, *, hopeless: Bools, after: Callable[[], bool]) -> None:
    """Place what can be placed without an eviction: best fit, one ejection, a chain, two ejections, an emptied node.

    Under a price the pods of a tier come in rounds of rising cost, so that nobody is placed dearly who could have been
    placed cheaply before others took the room. `after` is asked before each pod whether to go on.
    """
    filler = _Filler(state, classes, frozen=options.order == "frozen")
    for tier in range(state.tables.tiers):
        for budget in _budgets(options.price, len(state.where)):
            filler.begin(budget)
            for pod in waiting(state, hopeless | (state.tables.tier != tier)):
                if not after():
                    return
                filler.place(pod)


def _budgets(price: int | None, pods: int) -> Iterator[int]:
    """Yield what a pod may cost, round by round; without a price there is one round."""
    if price is None:
        yield pods
        return
    yield from (budget for budget in _ROUNDS if budget < price)
    yield price


class _Filler:
    """Places one pod after the other, and remembers what there is no place for as things stand."""

    def __init__(self, state: State, classes: Classes, *, frozen: bool) -> None:
        self._state, self._classes, self._price, self._frozen = state, classes, 0, frozen
        self._failed: set[int] = set()

    def begin(self, budget: int) -> None:
        """Let a pod cost so much from now on."""
        self._price = budget
        self._failed.clear()

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
