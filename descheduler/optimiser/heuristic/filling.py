"""Places for pending pods, tier by tier, by the cheapest way that works."""

from collections.abc import Callable

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.heuristic.ejections import eject_chain, eject_one, eject_two, movers
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.victims import evict_few
from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import Bools, Ints


def fill(state: State, classes: Classes, options: Options, *, hopeless: Bools, over: Callable[[], bool]) -> None:
    """Place what can be placed without an eviction: best fit, one ejection, two ejections."""
    price = len(state.where) if options.price is None else options.price
    frozen = options.order == "frozen"
    for pod in waiting(state, hopeless):
        if over():
            return
        if state.settle(pod):
            continue
        candidates = movers(state, pod, frozen=frozen)
        # Where moves cost nothing yet but the price allows none, only pods that are disturbed already may go.
        candidates.allowed[candidates.cost > price] = False
        if eject_one(state, classes, pod, candidates) or price <= 1:
            continue
        if not eject_chain(state, classes, pod, candidates):
            eject_two(state, classes, pod, candidates)


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
