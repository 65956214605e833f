"""Room for one pod by evicting the fewest pods of strictly less important tiers."""

from typing import Final

import numpy as np

from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.tables import NOWHERE, Ints

_NODES: Final = 32  # nodes that are searched, those that miss least first


def evict_few(state: State, pod: int, most: int) -> bool:
    """Place a pod where at most `most` less important pods lose their place; each of them may find another one."""
    choices = sorted(filter(None, (_victims(state, pod, int(node), most) for node in _nodes(state, pod))))
    return any(_take(state, pod, victims) for _, victims in choices)


def _nodes(state: State, pod: int) -> Ints:
    """Return the nodes where the pod fits without all less important pods, those that miss least first."""
    tables = state.tables
    lower = np.flatnonzero((state.where >= 0) & (tables.tier > tables.tier[pod]))
    most = state.free.copy()
    np.add.at(most, state.where[lower], tables.requests[lower])
    possible = tables.masks[tables.mask_of[pod]] & ~state.blocked(pod) & (most >= tables.requests[pod]).all(axis=1)
    nodes = np.flatnonzero(possible)
    missing = np.maximum(tables.requests[pod] - state.free[nodes], 0) * tables.scale
    return nodes[np.argsort(missing.sum(axis=1), kind="stable")][:_NODES]


def _victims(state: State, pod: int, node: int, most: int) -> tuple[tuple[int, int], tuple[int, ...]] | None:
    """Return who goes from a node, with how many and how important they are; None where it takes too many."""
    tables = state.tables
    lower = np.flatnonzero((state.where == node) & (tables.tier > tables.tier[pod]))
    missing = np.maximum(tables.requests[pod] - state.free[node], 0)
    chosen: list[int] = []
    while missing.any():
        if len(chosen) == most or not len(lower):
            return None
        help_ = (np.minimum(tables.requests[lower], missing) * tables.scale).sum(axis=1)
        # The least important first where two help alike; then whoever is smaller.
        size = (tables.requests[lower] * tables.scale).sum(axis=1)
        best = int(np.lexsort((lower, size, -tables.tier[lower], -np.round(help_, 6)))[0])
        chosen.append(int(lower[best]))
        missing = np.maximum(missing - tables.requests[lower[best]], 0)
        lower = np.delete(lower, best)
    return (len(chosen), -sum(int(tables.tier[victim]) for victim in chosen)), tuple(chosen)


def _take(state: State, pod: int, victims: tuple[int, ...]) -> bool:
    mark = state.mark()
    node = int(state.where[victims[0]]) if victims else NOWHERE
    for victim in victims:
        state.move(victim, NOWHERE)
    if victims and state.open_to(pod)[node]:
        state.move(pod, node)
        if state.holds(mark):
            for victim in victims:
                state.settle(victim)
            return True
    state.undo(mark)
    return False
