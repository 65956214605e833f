"""The best contents of every node at given prices: all knapsacks at once, item by item.

An item's reduced worth is what it is worth beyond the resources it takes. The bound of a knapsack takes every item with
a positive one; a content loses what it deviates from that, and what it leaves unused. Contents are dropped as soon as
they lose more than the gap to what is known already.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from descheduler.optimiser.columns.loads import Floats, Loads
from descheduler.optimiser.columns.opened import Opened, opened
from descheduler.optimiser.tables import Bools, Ints

_SLACK: Final = 1e-7  # what rounding may hide


@dataclass(frozen=True, slots=True)
class Effort:
    """How many contents a node keeps while they are built, and how far below the bound they may be."""

    each: int
    narrow: float = np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Fillings:
    """Contents: the `node` of each, its `value`, and `counts` by kind. `bound[node]`: no content is worth more.

    `complete[node]` where every content that is worth the floor is there.
    """

    node: Ints
    value: Floats
    counts: Ints
    bound: Floats
    complete: Bools

    def some(self, which: Ints) -> "Fillings":
        """Return only some of them: no node is complete then."""
        return replace(
            self,
            node=self.node[which],
            value=self.value[which],
            counts=self.counts[which],
            complete=np.zeros_like(self.complete),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What every node is asked: at these `values` by node and item, contents that are worth at least its `floor`.

    `worth` are the multipliers by node and resource that the bound is computed with.
    """

    values: Floats
    worth: Floats
    floor: Floats


def fillings(loads: Loads, asked: Asked, effort: Effort, *, over: Callable[[], bool]) -> Fillings:
    """Return contents of every node; fewer, with a weaker bound, when it is over before the last item."""
    values, worth, floor = asked.values, asked.worth, asked.floor
    reduced = np.where(loads.allowed, values - worth @ loads.share.T, -np.inf)
    bound = (worth * loads.left).sum(axis=1) + np.where(reduced > 0, reduced, 0.0).sum(axis=1)
    wanted = np.maximum(bound - floor, 0.0) + _SLACK
    gap = np.minimum(wanted, effort.narrow)
    built = _Built(loads, opened(loads, reduced, gap), worth, gap, effort.each)
    built.go(over)
    cut = np.minimum(built.cut, np.where(gap < wanted, gap, np.inf))
    counts, value = built.contents(values)
    best = floor.copy()
    np.maximum.at(best, built.node, value)
    return Fillings(
        node=built.node,
        value=value,
        counts=counts,
        bound=np.minimum(bound, np.maximum(best, bound - cut)) + _SLACK,
        complete=np.isinf(cut),
    )


class _Built:
    """Partial contents side by side. `record` says which items each has beyond the forced ones: a chain of parents."""

    def __init__(self, loads: Loads, items: Opened, worth: Floats, gap: Floats, each: int) -> None:
        self._loads, self._items, self._worth, self._gap, self._each = loads, items, worth, gap, each
        self.cut = np.full(loads.nodes, np.inf)
        used = items.forced.astype(np.int64) @ loads.sizes
        self.node: Ints = np.flatnonzero((used <= loads.room).all(axis=1))
        self._room: Ints = (loads.room - used)[self.node]
        self._loss = np.zeros(len(self.node))
        self._record = np.full(len(self.node), -1)
        self._taken = np.ones(len(self.node), dtype=np.bool_)
        self._parents: list[Ints] = []
        self._chosen: list[Ints] = []
        self._records = 0

    def go(self, over: Callable[[], bool]) -> None:
        """Decide every open item."""
        for step in range(self._items.steps):
            if over():
                self.cut[:] = 0.0
                self._keep(np.zeros(0, dtype=np.int64))
                return
            self._decide(step)
            if len(self.node) > self._each * self._loads.nodes:
                self._drop()

    def _decide(self, step: int) -> None:
        """Let every content have the next item of its node, or not."""
        node, items = self.node, self._items
        item, is_open, reduced = items.item[:, step], items.is_open[:, step], items.reduced[:, step]
        size, gap = self._loads.sizes[item][node], self._gap[node]
        room = self._room - size
        lost = self._loss + np.maximum(-reduced, 0.0)[node]
        may = is_open[node] & (self._taken | items.first[:, step][node]) & (lost <= gap)
        chosen = np.flatnonzero(may & (room >= 0).all(axis=1))
        kept = self._loss + np.maximum(reduced, 0.0)[node]
        left = np.flatnonzero(kept <= gap)
        self._parents.append(self._record[chosen])
        self._chosen.append(item[node[chosen]])
        record = np.arange(self._records, self._records + len(chosen))
        self._records += len(chosen)
        self.node = np.concatenate([node[left], node[chosen]])
        self._room = np.concatenate([self._room[left], room[chosen]])
        self._loss = np.concatenate([kept[left], lost[chosen]])
        self._record = np.concatenate([self._record[left], record])
        closed = ~is_open[node[left]]
        self._taken = np.concatenate([closed & self._taken[left], np.ones(len(chosen), dtype=np.bool_)])
        self._waste(step + 1)

    def _waste(self, step: int) -> None:
        """Drop those that lose too much by what stays unused whatever comes."""
        rest = self._items.rest[:, step]
        if (rest >= self._loads.left).all():
            return
        node = self.node
        unused = np.maximum(self._room * self._loads.scale - rest[node], 0.0)
        loss = self._loss + (unused * self._worth[node]).sum(axis=1)
        self._keep(np.flatnonzero(loss <= self._gap[node]))

    def _drop(self) -> None:
        """Keep those that lost least, so many a node."""
        order = np.lexsort((self._loss, self.node))
        node = self.node[order]
        late = np.arange(len(order)) - np.searchsorted(node, node) >= self._each
        over = order[late]
        np.minimum.at(self.cut, self.node[over], self._loss[over])
        self._keep(order[~late])

    def _keep(self, which: Ints) -> None:
        self.node, self._room, self._loss = self.node[which], self._room[which], self._loss[which]
        self._record, self._taken = self._record[which], self._taken[which]

    def contents(self, values: Floats) -> tuple[Ints, Floats]:
        """Return the counts by kind and the value of each content."""
        loads, forced = self._loads, self._items.forced
        always = np.zeros_like(loads.most)
        np.add.at(always, (np.nonzero(forced)[0], loads.kind[np.nonzero(forced)[1]]), 1)
        counts, value = always[self.node], np.where(forced, values, 0.0).sum(axis=1)[self.node]
        parents, chosen = _joined(self._parents), _joined(self._chosen)
        record, row = self._record, np.arange(len(self.node))
        while len(row):
            going = record >= 0
            record, row = record[going], row[going]
            item = chosen[record]
            counts[row, loads.kind[item]] += 1
            value[row] += values[self.node[row], item]
            record = parents[record]
        return counts, value


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate([*parts, np.zeros(0, dtype=np.int64)]).astype(np.int64)
