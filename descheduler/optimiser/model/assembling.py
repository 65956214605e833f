"""A whole model of a frame, and the goals that a search sets on it; solves nothing."""

from collections.abc import Sequence

import numpy as np

from descheduler.optimiser.model.draft import MOST, Draft, Sum, Values
from descheduler.optimiser.model.frame import Frame
from descheduler.optimiser.model.layout import lay_out
from descheduler.optimiser.model.rows import attractions, budgets, capacity, exclusives, separations, spreads, usage
from descheduler.optimiser.tables import Ints


class Model:
    """A frame's proto. Limits on goals hold for one solve: `aim` replaces those of the solve before."""

    def __init__(self, frame: Frame, *, evict_for_count: bool, exact: bool = False) -> None:
        self.draft = Draft()
        self.layout = lay_out(self.draft, frame)
        self._fates()
        self.rounded = capacity.add(self.draft, self.layout, exact=exact)
        for kind in (budgets, exclusives, separations, attractions, spreads):
            kind.add(self.draft, self.layout)
        self.unplaced, self.evicted = self._unplaced(), self._evicted()
        self.weights = self._weights()
        if evict_for_count:
            usage.add(self.draft, self.layout, unplaced=self.unplaced, evicted=self.evicted)
        self._rows: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}

    def aim(self, limits: Sequence[tuple[Sum, int]], objective: Sum, where: Ints) -> None:
        """Set upper limits, what is minimised, and the plan to start from."""
        for row in self._rows.values():
            self.draft.limit(row, MOST)
        for total, most in limits:
            key = (tuple(total.variables), tuple(total.coefficients))
            if key in self._rows:
                self.draft.limit(self._rows[key], most - total.constant)
            else:
                self._rows[key] = self.draft.at_most(total, most)
        self.draft.minimise(objective)
        self.draft.hint(self.values(where))

    def values(self, where: Ints) -> Values:
        """Return the value of every variable in a plan."""
        return self.layout.values(where, self.draft)

    def plan(self, values: Values) -> Ints:
        """Return the plan that the variables say."""
        return self.layout.plan(values)

    def _fates(self) -> None:
        """Every pod has a node or none."""
        layout, frame = self.layout, self.layout.frame
        start = np.searchsorted(frame.kind, np.arange(len(frame.kinds) + 1))
        for kind, (count, out) in enumerate(zip(frame.count.tolist(), layout.out, strict=True)):
            pods = [*layout.put[start[kind] : start[kind + 1]], out]
            if count == 1:
                self.draft.one_of(pods)
            else:
                self.draft.row(pods, [1] * len(pods), least=count, most=count)

    def _unplaced(self) -> list[Sum]:
        frame = self.layout.frame
        tables = frame.cast.tables
        beyond = np.bincount(tables.tier[(frame.where < 0) & ~frame.free], minlength=tables.tiers)
        totals = [Sum(constant=int(count)) for count in beyond]
        for tier, out in zip(tables.tier[frame.sample].tolist(), self.layout.out, strict=True):
            totals[tier].add(out)
        return totals

    def _evicted(self) -> list[Sum]:
        frame = self.layout.frame
        tables = frame.cast.tables
        # Evicted pods are always free; what is outside is pending.
        totals = [Sum() for _ in range(tables.tiers)]
        for tier, evict in zip(tables.tier[frame.sample].tolist(), self.layout.evict, strict=True):
            if evict >= 0:
                totals[tier].add(evict)
        return totals

    def _weights(self) -> list[Sum]:
        """Return the weight of the disturbed pods by tier."""
        frame = self.layout.frame
        tables = frame.cast.tables
        fixed = tables.running & ~frame.free & (frame.where == tables.origin)
        rest = tables.running & ~fixed
        totals = [Sum(constant=int(tables.weight[rest & (tables.tier == tier)].sum())) for tier in range(tables.tiers)]
        tier, weight = tables.tier[frame.sample].tolist(), tables.weight[frame.sample].tolist()
        for kind, stay in zip(frame.kind.tolist(), self.layout.stay, strict=True):
            if stay >= 0:
                totals[tier[kind]].add(stay, -weight[kind])
        return totals


def total(sums: Sequence[Sum]) -> Sum:
    """Return the sum of sums."""
    result = Sum()
    for each in sums:
        result = result.plus(each)
    return result
