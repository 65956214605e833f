"""One content a node, chosen by CP-SAT out of many, as few disruptions as possible: a plan, or a proof that none is.

Constraints over several pods are left out: what is infeasible here is infeasible with them too, but a plan from here
may break them.
"""

from collections.abc import Sequence

import numpy as np

from descheduler.optimiser.columns.fillings import Fillings
from descheduler.optimiser.columns.loads import Loads
from descheduler.optimiser.columns.master import Allowance
from descheduler.optimiser.model.draft import MOST, Draft, Sum, Values
from descheduler.optimiser.model.frame import Frame
from descheduler.optimiser.tables import NOWHERE, Ints


class Choice:
    """The model; offers what `Search.attempt` asks of one."""

    def __init__(self, frame: Frame, loads: Loads, allowance: Allowance, found: Fillings) -> None:
        self.draft = Draft()
        self._frame, self._loads, self._found = frame, loads, found
        self._chosen = list(self.draft.variables([1] * len(found.node)))
        for node in range(loads.nodes):
            self.draft.one_of([self._chosen[at] for at in np.flatnonzero(found.node == node)])
        self._cover(allowance)
        cost = loads.disturbed(found.node, found.counts)
        some = np.flatnonzero(cost)
        self.cost = Sum([self._chosen[at] for at in some], cost[some].tolist())

    def aim(self, limits: Sequence[tuple[Sum, int]], objective: Sum, _where: Ints) -> None:
        """Set upper limits and what is minimised; the plan to start from need not be among the contents."""
        for total, most in limits:
            self.draft.at_most(total, most)
        self.draft.minimise(objective)

    def plan(self, values: Values) -> Ints:
        """Return the plan that is chosen; who is who within a class is open."""
        loads, frame = self._loads, self._frame
        counts = np.zeros_like(loads.own)
        chosen = np.flatnonzero(np.array([values[variable] for variable in self._chosen]))
        counts[self._found.node[chosen]] = self._found.counts[chosen]
        where = np.full(len(frame.where), NOWHERE, dtype=np.int64)
        for kind, class_ in enumerate(frame.kinds.tolist()):
            nodes = np.repeat(frame.sites, _without_surplus(counts[:, kind], loads.own[:, kind], int(loads.size[kind])))
            where[frame.cast.classes.members(class_)[: len(nodes)]] = nodes
        return where

    def _cover(self, allowance: Allowance) -> None:
        """Every pod has a place, but for the pending ones that may have none."""
        counts = self._found.counts
        spare = [unplaced > 0 for unplaced in allowance.unplaced]
        out = [Sum() for _ in spare]
        for kind, (size, tier) in enumerate(zip(self._loads.size.tolist(), allowance.tier.tolist(), strict=True)):
            at = np.flatnonzero(counts[:, kind])
            variables, coefficients = [self._chosen[one] for one in at], counts[at, kind].tolist()
            if spare[tier] and allowance.pending[kind]:
                left_out = self.draft.variable(int(allowance.pending[kind]))
                out[tier].add(left_out)
                variables, coefficients = [*variables, left_out], [*coefficients, 1]
            self.draft.row(variables, coefficients, least=size, most=MOST)
        for total, unplaced in zip(out, allowance.unplaced, strict=True):
            self.draft.at_most(total, unplaced)


def _without_surplus(counts: Ints, own: Ints, size: int) -> Ints:
    """Return counts by node that sum up to no more than there are: first those that came go, then who stays."""
    left = _fewer(counts, np.maximum(counts - own, 0), int(counts.sum()) - size)
    return _fewer(left, left, int(left.sum()) - size)


def _fewer(counts: Ints, spare: Ints, surplus: int) -> Ints:
    """Take a surplus off what can be spared, as far as it goes."""
    before = np.cumsum(spare) - spare
    return np.asarray(counts - np.clip(surplus - before, 0, spare))
