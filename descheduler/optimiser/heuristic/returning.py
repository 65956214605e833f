"""Sends moved pods back where they ran, as far as nobody loses a place by it: fewer disruptions for the same count.

A search that places more moves many pods that need not have moved. Most return within milliseconds; what is left is
for rounds of the exact model.
"""

from collections.abc import Callable

import numpy as np

from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.tables import NOWHERE, Ints

_NEWCOMERS = 12  # pods of a node that are asked to make way, smallest first


def go_home(state: State, *, over: Callable[[], bool]) -> None:
    """Let moved pods return, round after round until none can; nobody placed loses its place."""
    returned = True
    while returned:
        returned = False
        for pod in _abroad(state).tolist():
            if over():
                return
            returned = _return(state, pod) or returned


def _abroad(state: State) -> Ints:
    """Return the moved pods: the dearest first, among equals the smallest."""
    tables = state.tables
    index: Ints = np.flatnonzero(tables.running & (state.where >= 0) & (state.where != tables.origin))
    size = (tables.requests[index] * tables.scale).sum(axis=1)
    return index[np.lexsort((index, size, -tables.weight[index]))]


def _return(state: State, pod: int) -> bool:
    home = int(state.tables.origin[pod])
    return state.send_home(pod) or any(_swap(state, pod, other) for other in _in_the_way(state, pod, home))


def _in_the_way(state: State, pod: int, home: int) -> list[int]:
    """Return newcomers on a pod's node, each of which alone would leave enough room for it."""
    tables = state.tables
    index = np.flatnonzero((state.where == home) & (tables.origin != home))
    enough = (state.free[home] + tables.requests[index] >= tables.requests[pod]).all(axis=1)
    index = index[enough]
    size = (tables.requests[index] * tables.scale).sum(axis=1)
    return [int(other) for other in index[np.lexsort((index, size))][:_NEWCOMERS]]


def _swap(state: State, pod: int, other: int) -> bool:
    """Let a newcomer make way: it goes home if it can, else anywhere; it was disturbed before, or had no place."""
    mark = state.mark()
    home = int(state.tables.origin[pod])
    state.move(pod, NOWHERE)
    state.move(other, NOWHERE)
    if state.open_to(pod)[home]:
        state.move(pod, home)
        if _place(state, other) and state.holds(mark):
            return True
    state.undo(mark)
    return False


def _place(state: State, pod: int) -> bool:
    home = int(state.tables.origin[pod])
    if home >= 0 and state.open_to(pod)[home]:
        state.move(pod, home)
        return True
    return state.settle(pod)
