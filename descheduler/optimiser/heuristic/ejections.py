"""Room for one pod by letting one or two others go elsewhere, or one that takes the place of another one.

Which pods might go is found for all nodes at once; only the most promising few are tried, pod by pod.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.tables import NOWHERE, Bools, Ints

_SINGLES: Final = 256  # how many single pods are looked at closer, cheapest first
_TRIES: Final = 24  # how many of them are tried
_NODES: Final = 64  # nodes that are searched for pairs, most free ones first
_LINKS: Final = 128  # pods that might make room for the pod in a chain, smallest first
_ENDS: Final = 1024  # pods that might end a chain, smallest first
_PODS: Final = 24  # pods of a node that enter pairs, smallest first


@dataclass(frozen=True, slots=True)
class Movers:
    """Who may make room: `cost` is the price of letting a pod go, nothing for one that is disturbed already."""

    allowed: Bools
    cost: Ints


def movers(state: State, pod: int, *, frozen: bool) -> Movers:
    """Return who may make room for a pod: anybody with a place; under `frozen` nobody of a more important tier."""
    tables = state.tables
    cost = np.where(state.where == tables.origin, tables.weight, 0)
    allowed = state.where >= 0
    if frozen:
        allowed &= (tables.tier >= tables.tier[pod]) | (cost == 0)
    allowed[pod] = False
    return Movers(allowed, cost)


def eject_one(state: State, classes: Classes, pod: int, candidates: Movers) -> bool:
    """Place a pod where one other makes room for it and goes elsewhere; nothing changes where that fails."""
    tables = state.tables
    ours = tables.masks[tables.mask_of[pod]] & ~state.blocked(pod)
    index = np.flatnonzero(candidates.allowed)
    index = index[ours[state.where[index]]]
    enough = (state.free[state.where[index]] + tables.requests[index] >= tables.requests[pod]).all(axis=1)
    index = _cheapest(state, index[enough], candidates)[:_SINGLES]
    index = index[_fits_elsewhere(state, classes, index)][:_TRIES]
    return any(_swap(state, pod, (int(other),)) for other in index)


def eject_two(state: State, classes: Classes, pod: int, candidates: Movers) -> bool:
    """Place a pod where two others of one node make room for it and go elsewhere."""
    pairs = [
        found
        for node in _roomiest(state, pod)
        for found in _pairs(state, pod, _of_node(state, classes, int(node), candidates), candidates)
    ]
    pairs.sort()
    return any(_swap(state, pod, (first, second)) for _, _, first, second in pairs[:_TRIES])


def eject_chain(state: State, classes: Classes, pod: int, candidates: Movers) -> bool:
    """Place a pod where one other makes room for it, which takes the place of a third one that goes elsewhere."""
    tables = state.tables
    index = np.flatnonzero(candidates.allowed)
    ours = tables.masks[tables.mask_of[pod]] & ~state.blocked(pod)
    enough = (state.free[state.where[index]] + tables.requests[index] >= tables.requests[pod]).all(axis=1)
    first = _cheapest(state, index[enough & ours[state.where[index]]], candidates)[:_LINKS]
    last = _cheapest(state, index, candidates)[:_ENDS]
    last = last[_fits_elsewhere(state, classes, last)]
    room = state.free[state.where[last]] + tables.requests[last]
    links = (tables.requests[first][:, None, :] <= room[None, :, :]).all(axis=2)
    links &= tables.masks[tables.mask_of[first]][:, state.where[last]]
    links &= state.where[first][:, None] != state.where[last][None, :]
    one, other = np.nonzero(links)
    cost = candidates.cost[first[one]] + candidates.cost[last[other]]
    order = np.lexsort((one + other, cost))[:_TRIES]
    return any(_link(state, pod, int(first[one[at]]), int(last[other[at]])) for at in order)


def _link(state: State, pod: int, first: int, last: int) -> bool:
    """Move the last one away, the first one to its node, and the pod to the first one's."""
    mark = state.mark()
    node, next_node = int(state.where[first]), int(state.where[last])
    state.move(first, NOWHERE)
    state.move(last, NOWHERE)
    if state.open_to(pod)[node]:
        state.move(pod, node)
        if state.open_to(first)[next_node]:
            state.move(first, next_node)
            if state.settle(last, next_node) and state.holds(mark):
                return True
    state.undo(mark)
    return False


def _cheapest(state: State, index: Ints, candidates: Movers) -> Ints:
    size = (state.tables.requests[index] * state.tables.scale).sum(axis=1)
    return index[np.lexsort((index, size, candidates.cost[index]))]


def _fits_elsewhere(state: State, classes: Classes, index: Ints) -> Bools:
    """Return which of the pods have room on a node other than their own; ties are not asked."""
    tables = state.tables
    kinds, of = np.unique(classes.of[index], return_inverse=True)
    samples = classes.sample[kinds]
    fits: Bools = tables.masks[tables.mask_of[samples]]
    for resource in range(tables.requests.shape[1]):
        fits = fits & (tables.requests[samples, resource][:, None] <= state.free[:, resource][None, :])
    of = of.reshape(-1)
    elsewhere: Bools = fits.sum(axis=1)[of] > fits[of, state.where[index]]
    return elsewhere


def _swap(state: State, pod: int, others: tuple[int, ...]) -> bool:
    """Let others go, place the pod on their node, and find a place for each of them."""
    mark = state.mark()
    node = int(state.where[others[0]])
    for other in others:
        state.move(other, NOWHERE)
    if state.open_to(pod)[node]:
        state.move(pod, node)
        if all(state.settle(other, node) for other in reversed(others)) and state.holds(mark):
            return True
    state.undo(mark)
    return False


def _roomiest(state: State, pod: int) -> Ints:
    """Return the nodes that a pod might go to, those that miss least of what it asks for first."""
    tables = state.tables
    nodes = np.flatnonzero(tables.masks[tables.mask_of[pod]] & ~state.blocked(pod))
    missing = np.maximum(tables.requests[pod] - state.free[nodes], 0) * tables.scale
    return nodes[np.argsort(missing.sum(axis=1), kind="stable")][:_NODES]


def _of_node(state: State, classes: Classes, node: int, candidates: Movers) -> Ints:
    index = np.flatnonzero((state.where == node) & candidates.allowed)
    index = index[_fits_elsewhere(state, classes, index)]
    return _cheapest(state, index, candidates)[:_PODS]


def _pairs(state: State, pod: int, index: Ints, candidates: Movers) -> list[tuple[int, float, int, int]]:
    """Return pairs that leave enough room: cost, size, and the two, the smaller one first."""
    tables = state.tables
    if len(index) < 2:  # noqa: PLR2004  # a pair
        return []
    node = int(state.where[index[0]])
    first, second = np.triu_indices(len(index), 1)
    left = state.free[node] + tables.requests[index[first]] + tables.requests[index[second]] - tables.requests[pod]
    enough = (left >= 0).all(axis=1)
    cost = (candidates.cost[index[first]] + candidates.cost[index[second]])[enough]
    spare = (left[enough] * tables.scale).sum(axis=1)
    return list(
        zip(cost.tolist(), spare.tolist(), index[first][enough].tolist(), index[second][enough].tolist(), strict=True)
    )
