"""Ways to place one pod, found for all nodes at once: others that make room for it, and where these go instead.

A way that was found once may be gone again later, wherever everybody it moves still stands where it stood and the
room is there. Source: docs/design/optimiser.md, section 5.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.tables import NOWHERE, Bools, Ints, Tables

_LOOK: Final = 160  # ways that are looked at when one is asked for: half of them the cheapest, half drawn anew


@dataclass(frozen=True, slots=True)
class Ways:
    """One way a row, cheapest first: the pod comes to `node`, and `who` goes from `before` to `after`.

    Rows are as wide as the longest way; `NOWHERE` fills the rest. `asked` is the room that a way takes in all on each
    of the nodes in `touched`; `cost` is the weight that it disturbs.
    """

    who: Ints
    before: Ints
    after: Ints
    node: Ints
    cost: Ints
    touched: Ints
    asked: Ints

    def __len__(self) -> int:
        return len(self.node)

    def possible(self, state: State, rows: Ints) -> Ints:
        """Return which of some ways can be gone as things stand; ties are not asked."""
        before = self.before[rows]
        rows = rows[((state.where[self.who[rows]] == before) | (before < 0)).all(axis=1)]
        enough = state.free[self.touched[rows]] >= self.asked[rows]
        return rows[enough.reshape(len(rows), math.prod(enough.shape[1:])).all(axis=1)]

    def draw(self, state: State, most: int, random: np.random.Generator) -> int | None:
        """Return a possible way for at most so much: of those that are looked at one of the cheapest."""
        end = int(np.searchsorted(self.cost, most, side="right"))
        if not end:
            return None
        half = _LOOK // 2
        some = np.arange(end) if end <= _LOOK else np.append(np.arange(half), random.integers(half, end, half))
        rows = self.possible(state, some)
        if not len(rows):
            return None
        cost = self.cost[rows]
        return int(random.choice(rows[cost == cost.min()]))

    def go(self, state: State, pod: int, row: int) -> bool:
        """Place a pod by a possible way; nothing changes where a tie forbids it."""
        mark = state.mark()
        steps = [(int(one), int(to)) for one, to in zip(self.who[row], self.after[row], strict=True) if one >= 0]
        for one, _ in steps:
            state.move(one, NOWHERE)
        state.move(pod, int(self.node[row]))
        for one, to in steps:
            state.move(one, to)
        if state.holds(mark):
            return True
        state.undo(mark)
        return False


@dataclass(frozen=True, slots=True)
class Steps:
    """Ways as they are found: the node for the pod, and columns of who goes where."""

    node: Ints
    who: Ints
    after: Ints


def weigh(tables: Tables, where: Ints, pod: int, steps: Steps) -> Ways:
    """Return the ways of a pod, with what they cost and ask for when everybody starts from here."""
    who, after, node = steps.who, steps.after, steps.node
    moves = who >= 0
    before = np.where(moves, where[who], NOWHERE)
    home = tables.origin[who]
    change = (after != home).astype(np.int64) - (before != home)
    cost = np.where(moves & (home >= 0), tables.weight[who] * change, 0).sum(axis=1)
    # A running pod that was lifted counts as disturbed already: to come home pays back.
    cost -= tables.weight[pod] * (node == tables.origin[pod])
    touched = np.column_stack([node, np.where(moves, after, node[:, None])])
    order = np.argsort(cost, kind="stable")
    asked = _asked(tables.requests[pod], tables.requests[who] * moves[:, :, None], before, touched)
    return Ways(who[order], before[order], after[order], node[order], cost[order], touched[order], asked[order])


def _asked(own: Ints, requests: Ints, before: Ints, touched: Ints) -> Ints:
    """Return the room taken on each touched node: by the pod and those that come, less those that go."""
    asked = np.empty((*touched.shape, requests.shape[2]), dtype=np.int64)
    for column in range(touched.shape[1]):
        here = touched[:, column]
        asked[:, column] = own * (touched[:, 0] == here)[:, None]
        for one in range(before.shape[1]):
            comes = (touched[:, one + 1] == here).astype(np.int64) - (before[:, one] == here)
            asked[:, column] += requests[:, one] * comes[:, None]
    return asked


def join(first: Ways, second: Ways) -> Ways:
    """Return the ways of both."""
    width = max(first.who.shape[1], second.who.shape[1])
    parts = [_widened(ways, width) for ways in (first, second)]
    cost = np.concatenate([ways.cost for ways in parts])
    order = np.argsort(cost, kind="stable")

    def both(columns: Sequence[Ints]) -> Ints:
        return np.concatenate(columns)[order]

    return Ways(
        both([ways.who for ways in parts]),
        both([ways.before for ways in parts]),
        both([ways.after for ways in parts]),
        both([ways.node for ways in parts]),
        cost[order],
        both([ways.touched for ways in parts]),
        both([ways.asked for ways in parts]),
    )


def _widened(ways: Ways, width: int) -> Ways:
    more = width - ways.who.shape[1]
    if not more:
        return ways

    def wide(columns: Ints) -> Ints:
        return np.pad(columns, ((0, 0), (0, more)), constant_values=NOWHERE)

    touched = np.concatenate([ways.touched, np.repeat(ways.touched[:, :1], more, axis=1)], axis=1)
    asked = np.concatenate([ways.asked, np.repeat(ways.asked[:, :1], more, axis=1)], axis=1)
    return Ways(wide(ways.who), wide(ways.before), wide(ways.after), ways.node, ways.cost, touched, asked)


def learned(tables: Tables, where: Ints, pod: int, changed: Sequence[tuple[int, int]]) -> Ways:
    """Return as a way what a search just did from these places on: pods with their new ones, the pod among them."""
    others = [(one, to) for one, to in changed if one != pod and to != where[one]]
    node = np.array([to for one, to in changed if one == pod], dtype=np.int64)
    who = np.array([[one for one, _ in others]], dtype=np.int64)
    after = np.array([[to for _, to in others]], dtype=np.int64)
    return weigh(tables, where, pod, Steps(node, who, after))


def matching(left: Ints, right: Ints) -> Bools:
    """Return which rows on the left are covered by which on the right, resource by resource."""
    enough: Bools = np.ones((len(left), len(right)), dtype=np.bool_)
    for resource in range(left.shape[1]):
        enough &= left[:, resource][:, None] <= right[:, resource][None, :]
    return enough
