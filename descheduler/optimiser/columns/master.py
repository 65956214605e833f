"""The linear program that mixes known contents so that every pod has a place at least cost; prices follow from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from ortools.linear_solver import pywraplp

from descheduler.optimiser.columns.loads import Floats, Loads
from descheduler.optimiser.tables import Ints

_SMALL: Final = 1e-7
_RUNNING, _PENDING = 1.0, 3.0  # what a pod costs, by its weight, that gets a makeshift place: at first
_RAISE: Final = 2.5  # by what that rises where makeshift places are still used in the best mix


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """By kind its `tier` and how many `pending` pods it has; by tier how many of them may stay `unplaced`."""

    tier: Ints
    pending: Ints
    unplaced: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """An optimal mix: its cost, the price of each kind and of each node, and the makeshift places it uses by kind."""

    cost: float
    prices: Floats
    nodes: Floats
    missing: Floats

    @property
    def whole(self) -> bool:
        """Whether no makeshift place is used."""
        return bool(self.missing.sum() < _SMALL)


class Master:
    """Grows by contents. Makeshift places keep prices within limits while few contents are known."""

    def __init__(self, loads: Loads, allowance: Allowance) -> None:
        self._loads = loads
        self._solver = pywraplp.Solver.CreateSolver("GLOP")
        self._objective = self._solver.Objective()
        self._objective.SetMinimization()
        infinity = self._solver.infinity()
        self._cover = [self._solver.Constraint(int(size), infinity) for size in loads.size]
        self._one = [self._solver.Constraint(1, 1) for _ in range(loads.nodes)]
        self._limit = np.where(allowance.pending > 0, _PENDING, _RUNNING) * loads.weight
        self._makeshift = [self._variable(limit, {kind: 1.0}) for kind, limit in enumerate(self._limit.tolist())]
        self._leave_out(allowance)
        self._contents: list[list[Ints]] = [[] for _ in range(loads.nodes)]
        self._known: set[tuple[int, bytes]] = set()

    def add(self, node: int, counts: Ints) -> bool:
        """Take a content of a node, unless it is known."""
        key = (node, counts.tobytes())
        if key in self._known:
            return False
        self._known.add(key)
        self._contents[node].append(counts.copy())
        held = {int(kind): float(counts[kind]) for kind in np.flatnonzero(counts)}
        self._one[node].SetCoefficient(self._variable(float(self._loads.disturbed(node, counts)), held), 1.0)
        return True

    def solve(self) -> Mix | None:
        """Return the best mix of what is known; None where the numbers are too far apart for floats."""
        if self._solver.Solve() != pywraplp.Solver.OPTIMAL:
            return None
        return Mix(
            cost=self._objective.Value(),
            prices=np.maximum(np.array([row.dual_value() for row in self._cover]), 0.0),
            nodes=np.array([row.dual_value() for row in self._one]),
            missing=np.array([variable.solution_value() for variable in self._makeshift]),
        )

    def raise_limits(self, mix: Mix) -> None:
        """Let makeshift places cost more where the mix uses some."""
        for kind in np.flatnonzero(mix.missing > _SMALL).tolist():
            self._limit[kind] *= _RAISE
            self._objective.SetCoefficient(self._makeshift[kind], float(self._limit[kind]))

    def worth(self, prices: Floats) -> Floats:
        """Return what the best known content of each node is worth at these prices."""
        loads = self._loads
        best = np.empty(loads.nodes)
        for node, known in enumerate(self._contents):
            counts = np.array(known)
            best[node] = (counts @ prices + np.minimum(counts, loads.own[node]) @ loads.weight).max()
        return best

    def _variable(self, cost: float, covers: Mapping[int, float]) -> pywraplp.Variable:
        """Add a variable that counts for some kinds."""
        variable = self._solver.NumVar(0.0, self._solver.infinity(), "")
        self._objective.SetCoefficient(variable, float(cost))
        for kind, count in covers.items():
            self._cover[kind].SetCoefficient(variable, count)
        return variable

    def _leave_out(self, allowance: Allowance) -> None:
        """Let so many pending pods of each tier have no place."""
        for tier, unplaced in enumerate(allowance.unplaced):
            row = self._solver.Constraint(-self._solver.infinity(), unplaced)
            for kind in np.flatnonzero((allowance.tier == tier) & (allowance.pending > 0)).tolist():
                left_out = self._variable(0.0, {kind: 1.0})
                left_out.SetUb(float(allowance.pending[kind]))
                row.SetCoefficient(left_out, 1.0)
