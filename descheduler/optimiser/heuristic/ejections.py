"""Room for one pod by letting one or two others go elsewhere, or one that takes the place of another one.

Which pods might go is found for all nodes at once; only the most promising few are tried, pod by pod.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.tables import NOWHERE, Bools, Ints, covers

_SINGLES: Final = 256  # how many single pods are looked at closer, cheapest first
_TRIES: Final = 24  # how many of them are tried
_NODES: Final = 64  # nodes that are searched for pairs, most free ones first
_LINKS: Final = 128  # pods that might make room for the pod in a chain, smallest first
_ENDS: Final = 384  # pods that might end a chain, smallest first
_PLENTY: Final = 2**60
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
    index = _makes_room(state, pod, _cheapest(state, candidates))[:_SINGLES]
    index = index[_fits_elsewhere(state, classes, index)][:_TRIES]
    return any(_swap(state, pod, (int(other),)) for other in index)


def eject_two(state: State, classes: Classes, pod: int, candidates: Movers) -> bool:
    """Place a pod where two others of one node make room for it and go elsewhere."""
    near = np.zeros(len(state.free) + 1, dtype=np.bool_)  # the last entry stands for nowhere
    near[_roomiest(state, pod)] = True
    index = _cheapest(state, candidates)
    index = index[near[state.where[index]]]
    index = index[_fits_elsewhere(state, classes, index)]
    pairs = _pairs(state, pod, index[np.argsort(state.where[index], kind="stable")], candidates)
    return any(_swap(state, pod, pair) for pair in pairs[:_TRIES])


def eject_chain(state: State, classes: Classes, pod: int, candidates: Movers) -> bool:
    """Place a pod where one other makes room for it, which takes the place of a third one that goes elsewhere."""
    tables = state.tables
    index = _cheapest(state, candidates)
    first = _makes_room(state, pod, index)[:_LINKS]
    last = index[:_ENDS]
    last = last[_fits_elsewhere(state, classes, last)]
    room = state.free[state.where[last]] + tables.requests[last]
    links = tables.masks[tables.mask_of[first]][:, state.where[last]]
    for resource in range(room.shape[1]):
        links &= tables.requests[first, resource][:, None] <= room[:, resource][None, :]
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


def _cheapest(state: State, candidates: Movers) -> Ints:
    """Return who may make room, the cheapest first, small ones first among equals."""
    index = state.by_size[candidates.allowed[state.by_size]]
    return index[np.argsort(candidates.cost[index], kind="stable")]


def _makes_room(state: State, pod: int, index: Ints) -> Ints:
    """Return who of some pods leaves enough room for one where that one may go."""
    tables = state.tables
    ours = tables.masks[tables.mask_of[pod]] & ~state.blocked(pod)
    index = index[ours[state.where[index]]]
    return index[covers(state.free[state.where[index]] + tables.requests[index], tables.requests[pod])]


def _fits_elsewhere(state: State, classes: Classes, index: Ints) -> Bools:
    """Return which of the pods have room on a node other than their own; ties are not asked."""
    tables = state.tables
    kinds, of = np.unique(classes.of[index], return_inverse=True)
    of = of.reshape(-1)
    samples = classes.sample[kinds]
    asked = tables.requests[samples]
    # In a full cluster few nodes have room for even the smallest of them.
    nodes = np.flatnonzero(covers(state.free, asked.min(axis=0, initial=_PLENTY)))
    fits = tables.masks[tables.mask_of[samples]][:, nodes]
    for resource in range(asked.shape[1]):
        fits &= asked[:, resource][:, None] <= state.free[nodes, resource][None, :]
    at = np.minimum(np.searchsorted(nodes, state.where[index]), max(len(nodes) - 1, 0))
    here = fits[of, at] & (nodes[at] == state.where[index]) if len(nodes) else np.zeros(len(index), dtype=np.bool_)
    elsewhere: Bools = fits.sum(axis=1)[of] > here
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


def _pairs(state: State, pod: int, index: Ints, candidates: Movers) -> list[tuple[int, int]]:
    """Return pairs of one node that leave enough room, cheapest first; `index` is in the order of nodes."""
    tables = state.tables
    nodes = state.where[index]
    missing = tables.requests[pod] - state.free[nodes]
    rank = np.arange(len(index)) - np.searchsorted(nodes, nodes)
    firsts, seconds = [], []
    for step in range(1, _PODS):
        first = np.flatnonzero(nodes[:-step] == nodes[step:])
        if not len(first):
            break
        both = tables.requests[index[first]] + tables.requests[index[first + step]]
        first = first[(rank[first] + step < _PODS) & (both >= missing[first]).all(axis=1)]
        firsts.append(first)
        seconds.append(first + step)
    if not firsts:
        return []
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    spare = tables.requests[index[first]] + tables.requests[index[second]] - missing[first]
    cost = candidates.cost[index[first]] + candidates.cost[index[second]]
    order = np.lexsort((first, (spare * tables.scale).sum(axis=1), cost))[:_TRIES]
    return list(zip(index[first[order]].tolist(), index[second[order]].tolist(), strict=True))
