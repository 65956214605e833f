"""Room for one pod by emptying a node step by step: a pod of it goes elsewhere, or changes places with a smaller one.

Where demand is high no pod fits anywhere else as it is, but the room left on many nodes takes the difference of two
pods. Each step takes what brings the node nearest to enough room for each disruption it costs. Source:
docs/design/optimiser.md, section 5.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from descheduler.optimiser.heuristic.ejections import Movers
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.ways import matching
from descheduler.optimiser.tables import NOWHERE, Bools, Ints

_NODES, _OF_MANY = 16, 8  # nodes that are tried to be emptied, those that miss least first; the same of a large cluster
_MANY = 200
_CHEAP = 1  # what cannot be improved on
_PARTNERS = 128  # nodes whose pods may change places, most free ones first
_STEPS = 8  # longest way to enough room
_FREE_STEP = 0.25  # what a step counts that disturbs nobody new
_CLOSING = 10.0  # a step that makes enough room goes before any other
_TIDY = 1e-3  # of equal steps that which leaves least room unused elsewhere

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Steps:
    """All steps that are possible: `leaver` goes to `node`, and `comer` (none: `NOWHERE`) comes in its stead."""

    leaver: Ints
    comer: Ints
    node: Ints


def _never() -> bool:
    return False


def drain(state: State, pod: int, candidates: Movers, *, price: int, over: Callable[[], bool] = _never) -> bool:
    """Place a pod on the node that costs least to empty, for less than a price of newly disturbed weight."""
    best: tuple[int, list[tuple[int, int]]] | None = None
    for node in _nearest(state, pod).tolist():
        if over():
            break
        mark = state.mark()
        cost = _empty(state, pod, node, candidates, most=price if best is None else best[0] - 1)
        if cost is not None:
            best = cost, state.changed(mark)
            state.undo(mark)
            if cost <= _CHEAP:
                break
    if best is None:
        return False
    for moved, _ in best[1]:
        state.move(moved, NOWHERE)
    for moved, place in best[1]:
        state.move(moved, place)
    return True


def _nearest(state: State, pod: int) -> Ints:
    """Return the nodes that a pod might go to, those that miss least of what it asks for first."""
    tables = state.tables
    nodes: Ints = np.flatnonzero(tables.masks[tables.mask_of[pod]] & ~state.blocked(pod))
    count = _OF_MANY if len(state.free) > _MANY else _NODES
    return nodes[np.argsort(_missing(state, pod, state.free[nodes]), kind="stable")][:count]


def _missing(state: State, pod: int, free: Ints) -> Floats:
    """Return by how much each room is too small for a pod, as a share of the largest node."""
    lacking = np.maximum(state.tables.requests[pod] - free, 0) * state.tables.scale
    return np.asarray(lacking.sum(axis=-1))


def _empty(state: State, pod: int, node: int, candidates: Movers, *, most: int) -> int | None:
    """Make room on a node and place the pod there; return what that costs, None (and nothing changed) if it fails."""
    mark, spent = state.mark(), 0
    for _ in range(_STEPS):
        step = _best(state, pod, node, candidates, most=most - spent)
        if step is None:
            break
        leaver, comer, place, cost = step
        state.move(leaver, NOWHERE)
        if comer >= 0:
            state.move(comer, NOWHERE)
            state.move(comer, node)
        state.move(leaver, place)
        spent += cost
        if (state.tables.requests[pod] <= state.free[node]).all():
            state.move(pod, node)
            if state.holds(mark):
                return spent
            break
    state.undo(mark)
    return None


def _best(state: State, pod: int, node: int, candidates: Movers, *, most: int) -> tuple[int, int, int, int] | None:
    """Return the step that makes most room for its cost: leaver, comer, where to, and the cost."""
    steps = _possible(state, node, candidates)
    if not len(steps.leaver):
        return None
    requests, scale = state.tables.requests, state.tables.scale
    given = np.where((steps.comer >= 0)[:, None], requests[steps.comer], 0)
    free = state.free[node] + requests[steps.leaver] - given
    missing = _missing(state, pod, free)
    gain = _missing(state, pod, state.free[node]) - missing
    cost = _cost(state, steps, node)
    useful = (free >= 0).all(axis=1) & (gain > 0) & (cost <= most)
    if not useful.any():
        return None
    unused = ((state.free[steps.node] + given - requests[steps.leaver]) * scale).sum(axis=1)
    value = gain / np.maximum(cost, _FREE_STEP) - _TIDY * unused
    value = np.where(missing <= 0, _CLOSING - cost + value / _CLOSING, value)
    at = int(np.where(useful, value, -np.inf).argmax())
    return int(steps.leaver[at]), int(steps.comer[at]), int(steps.node[at]), int(cost[at])


def _possible(state: State, node: int, candidates: Movers) -> _Steps:
    """Return every single move and every exchange with a pod of a node that has room for the difference."""
    tables, where = state.tables, state.where
    leavers = np.flatnonzero((where == node) & candidates.allowed)
    open_nodes = _partners(state, node)
    comers = np.flatnonzero(open_nodes[where] & (where >= 0) & candidates.allowed)
    empty = np.flatnonzero(open_nodes)
    places = np.concatenate([where[comers], empty])
    who = np.concatenate([comers, np.full(len(empty), NOWHERE)])
    room = state.free[places] + np.where((who >= 0)[:, None], tables.requests[who], 0)
    fits = matching(tables.requests[leavers], room)
    fits &= _may_go(state, leavers[:, None], places[None, :])
    fits &= (who < 0) | _may_go(state, who, np.full(len(who), node))
    one, other = np.nonzero(fits)
    return _Steps(leavers[one], who[other], places[other])


def _may_go(state: State, pods: Ints, nodes: Ints) -> Bools:
    tables = state.tables
    allowed: Bools = tables.masks[tables.mask_of[pods], nodes] | (tables.origin[pods] == nodes)
    return allowed


def _partners(state: State, node: int) -> Bools:
    """Return the nodes, without this one, that have most room left."""
    free = (state.free * state.tables.scale).sum(axis=1)
    chosen = np.zeros(len(free), dtype=np.bool_)
    chosen[np.argsort(-free, kind="stable")[:_PARTNERS]] = True
    chosen[node] = False
    return chosen


def _cost(state: State, steps: _Steps, node: int) -> Ints:
    """Return the weight that each step disturbs: who leaves home costs, who comes home pays back."""
    tables = state.tables
    home, weight = tables.origin, tables.weight
    out = np.where(home[steps.leaver] == node, weight[steps.leaver], 0)
    back = np.where(home[steps.leaver] == steps.node, weight[steps.leaver], 0)
    comes = steps.comer >= 0
    left = np.where(comes & (home[steps.comer] == steps.node), weight[steps.comer], 0)
    came = np.where(comes & (home[steps.comer] == node), weight[steps.comer], 0)
    return np.asarray(out - back + left - came, dtype=np.int64)
