"""The repaired algorithm's model: one boolean for each pod and node, one for having no place; chooses no objective."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ortools.sat.python import cp_model

from descheduler.optimiser.baselines.ground import Ground
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment

_LEAST: Final = cp_model.INT_MIN
_MOST: Final = cp_model.INT_MAX


@dataclass(frozen=True, slots=True)
class Metric:
    """A weighted sum of booleans; a boolean may stand in it more than once."""

    terms: tuple[tuple[cp_model.IntVar, int], ...]
    constant: int = 0

    def minus(self, other: "Metric", *, times: int) -> "Metric":
        """Return this metric less so many times another one."""
        taken = tuple((x, -times * weight) for x, weight in other.terms)
        return Metric(self.terms + taken, self.constant - times * other.constant)

    def expression(self) -> cp_model.LinearExprT:
        """Return it for a row or an objective."""
        variables, weights = [x for x, _ in self.terms], [weight for _, weight in self.terms]
        return cp_model.LinearExpr.weighted_sum(variables, weights) + self.constant


class PodModel:
    """Rows that hold for the whole run, and rows that hold for one turn."""

    def __init__(self, problem: Problem, ground: Ground) -> None:
        self.cp = cp_model.CpModel()
        self._problem = problem
        self._ground = ground
        self._x = [{node: self.cp.new_bool_var("") for node in nodes} for nodes in ground.reach]
        self._out = [self.cp.new_bool_var("") for _ in problem.items]
        self._turns: list[cp_model.IntVar] = []
        self._seated: list[int] = []
        for places, out in zip(self._x, self._out, strict=True):
            self.cp.add_exactly_one(*places.values(), out)
        self._capacity()
        self._budgets()

    def _capacity(self) -> None:
        here: list[list[int]] = [[] for _ in self._ground.rooms]
        for index, nodes in enumerate(self._ground.reach):
            for node in nodes:
                here[node].append(index)
        for node, rooms in enumerate(self._ground.rooms):
            variables = [self._x[index][node] for index in here[node]]
            for resource, room in enumerate(rooms):
                amounts = [self._problem.items[index].requests[resource] for index in here[node]]
                if sum(amounts) > room:
                    row = cp_model.LinearExpr.weighted_sum(variables, amounts)
                    self.cp.add_linear_constraint(row, _LEAST, room)

    def _budgets(self) -> None:
        limits = [(set(budget.members), budget.allowed) for budget in self._problem.budgets]
        if self._problem.max_disruptions is not None:
            limits.append((set(range(len(self._x))), self._problem.max_disruptions))
        for members, allowed in limits:
            calm = tuple(self._calm(members))
            self.cp.add_linear_constraint(Metric(calm, len(calm)).expression(), _LEAST, max(0, allowed))

    def _calm(self, members: Iterable[int]) -> Iterator[tuple[cp_model.IntVar, int]]:
        """Yield for each member that could be disturbed what takes it off their number."""
        for index in sorted(members):
            home = self._ground.homes[index]
            if home is not None:
                yield self._x[index][home], -1
            elif self._problem.items[index].must_leave:
                yield self._out[index], -1

    def running(self, index: int) -> bool:
        """Whether a pod runs and could lose its place; one that must leave anyway could not."""
        return self._ground.homes[index] is not None

    def placed(self, tier: int) -> Metric:
        """Return how many pods down to this tier have a place."""
        outs = [self._out[index] for index, item in enumerate(self._problem.items) if item.tier <= tier]
        return Metric(tuple((out, -1) for out in outs), len(outs))

    def kept(self, tier: int) -> Metric:
        """Return 2 for each running pod down to this tier that stays, 1 for each that moves."""
        terms = []
        running = [index for index, item in enumerate(self._problem.items) if item.tier <= tier and self.running(index)]
        for index in running:
            home = self._ground.homes[index]
            if home is not None:
                terms += [(self._out[index], -1), (self._x[index][home], 1)]
        return Metric(tuple(terms), len(running))

    def lost(self, tiers: Iterable[int]) -> Metric:
        """Return how many running pods of these tiers have no place."""
        wanted = set(tiers)
        return Metric(
            tuple(
                (self._out[index], 1)
                for index, item in enumerate(self._problem.items)
                if item.tier in wanted and self.running(index)
            )
        )

    def gained(self, tier: int) -> Metric:
        """Return how many pods down to this tier have a place and had none."""
        outs = [
            self._out[index]
            for index, item in enumerate(self._problem.items)
            if item.tier <= tier and not self.running(index)
        ]
        return Metric(tuple((out, -1) for out in outs), len(outs))

    def seat(self, indices: Iterable[int]) -> None:
        """Let these running pods keep a place for this turn."""
        for index in indices:
            self._bound_out(index, 0)
            self._seated.append(index)

    def cap(self, metric: Metric, most: int) -> None:
        """Add a row that holds until the turn ends: the metric is at most so much."""
        turn = self.cp.new_int_var(1, 1, "")
        self.cp.add_linear_constraint(metric.expression(), _LEAST, most).only_enforce_if(turn)
        self._turns.append(turn)

    def floor(self, metric: Metric, least: int) -> None:
        """Add a row that holds for good: the metric is at least so much."""
        self.cp.add_linear_constraint(metric.expression(), least, _MOST)

    def end_turn(self) -> None:
        """Drop the rows of this turn."""
        for index in self._seated:
            self._bound_out(index, 1)
        self._seated.clear()
        for turn in self._turns:
            domain = self.cp.proto.variables[turn.index].domain
            domain[0], domain[1] = 0, 0
        self._turns.clear()

    def _bound_out(self, index: int, most: int) -> None:
        self.cp.proto.variables[self._out[index].index].domain[1] = most

    def hint(self, plan: Assignment) -> None:
        """Hint every variable."""
        self.cp.clear_hints()  # type: ignore[no-untyped-call]  # OR-Tools left this one untyped
        for x, value in self._values(plan):
            self.cp.add_hint(x, value)

    def _values(self, plan: Assignment) -> Iterator[tuple[cp_model.IntVar, int]]:
        for places, out, chosen in zip(self._x, self._out, plan, strict=True):
            yield out, int(chosen is None)
            for node, x in places.items():
                yield x, int(node == chosen)

    def value(self, metric: Metric, plan: Assignment) -> int:
        """Return what a metric is in a plan."""
        values = {x.index: value for x, value in self._values(plan)}
        return metric.constant + sum(weight * values[x.index] for x, weight in metric.terms)

    def read(self, solver: cp_model.CpSolver) -> Assignment:
        """Return the plan of a solution."""
        return tuple(next((node for node, x in places.items() if solver.boolean_value(x)), None) for places in self._x)
