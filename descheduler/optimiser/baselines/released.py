"""Algorithm 8 of the paper as its authors released it, errors included (B2); mends nothing.

Kept on purpose, numbered as in docs/design/optimiser.md: the second phase prefers an eviction to a move (1), a time-out
in any tier discards the whole plan (3), at least one pending pod must be placed (4), hints name placed pods only (5).
It knows nothing of budgets, so an answer that breaks one is rejected by the checker. Its times are the released
plugin's: 0.40 of the limit for placing, 0.30 for moves, both shared by the tiers; the model's build is not counted.
"""

import time
from collections import Counter
from typing import Final

from ortools.sat.python import cp_model

from descheduler.optimiser import concluding
from descheduler.optimiser.baselines import ground as surveying
from descheduler.optimiser.baselines import phases
from descheduler.optimiser.baselines.ground import Ground
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options, Point, Solution, Stop, doing_nothing

_FOR_PLACING: Final = 0.40
_FOR_MOVES: Final = 0.30


class ReleasedSolver:
    """Algorithm 8 as released."""

    name = "released"

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:
        """Return its plan, or doing nothing where any phase found none in time."""
        invalid = phases.invalid(problem, options, solver=self.name)
        if invalid is not None:
            return invalid
        run = _Run(problem, options, stop)
        assignment = run.through_the_tiers()
        findings = Findings(
            solver=self.name,
            proven=run.counts[cp_model.OPTIMAL.name] == 2 * problem.tiers > 0,
            path=tuple(run.path),
            timings={"build": run.build, "solve": time.monotonic() - run.began - run.build},
            counts=dict(run.counts),
        )
        return concluding.conclude(problem, assignment or doing_nothing(problem), options, findings)


class _Model:
    """One boolean for each pod and node, written as expressions."""

    def __init__(self, problem: Problem, ground: Ground) -> None:
        self.cp = cp_model.CpModel()
        self.x = [
            {node: self.cp.new_bool_var(f"x_{index}_{node}") for node in nodes}
            for index, nodes in enumerate(ground.reach)
        ]
        for places in self.x:
            self.cp.add_at_most_one(places.values())
        for node, rooms in enumerate(ground.rooms):
            here = [(places[node], item) for places, item in zip(self.x, problem.items, strict=True) if node in places]
            for resource, room in enumerate(rooms):
                self.cp.add(sum(x * item.requests[resource] for x, item in here) <= room)
        pending = [
            x for places, home in zip(self.x, ground.homes, strict=True) if home is None for x in places.values()
        ]
        if any(home is None for home in ground.homes):
            self.cp.add(sum(pending) >= 1)
        self._hint({(index, home) for index, home in enumerate(ground.homes) if home is not None})

    def _hint(self, placed: set[tuple[int, int]]) -> None:
        self.cp.clear_hints()  # type: ignore[no-untyped-call]  # OR-Tools left this one untyped
        for index, node in sorted(placed):
            self.cp.add_hint(self.x[index][node], 1)

    def learn(self, assignment: Assignment) -> None:
        """Hint the last solution, in the released way: placed pods only."""
        self._hint({(index, node) for index, node in enumerate(assignment) if node is not None})


class _Run:
    """One run through the tiers."""

    def __init__(self, problem: Problem, options: Options, stop: Stop) -> None:
        self.began = time.monotonic()
        self.problem = problem
        self.options = options
        self.stop = stop
        self.ground = surveying.survey(problem, ties=True)
        self.model = _Model(problem, self.ground)
        self.build = time.monotonic() - self.began
        self.counts: Counter[str] = Counter()
        self.path: list[Point] = []
        self.purse = phases.Purse((1 - _FOR_PLACING - _FOR_MOVES) * phases.total_of(options))

    def through_the_tiers(self) -> Assignment | None:
        """Return the last phase's solution, None as soon as one has none."""
        plan: Assignment | None = None
        for tier in range(self.problem.tiers):
            for minimise in (False, True):
                plan = self._phase(tier, minimise=minimise)
                if plan is None:
                    return None
        return plan

    def _phase(self, tier: int, *, minimise: bool) -> Assignment | None:
        cp = self.model.cp
        metric = self._disturbance(tier) if minimise else self._placed(tier)
        (cp.minimize if minimise else cp.maximize)(metric)
        share = (_FOR_MOVES if minimise else _FOR_PLACING) * phases.total_of(self.options) / self.problem.tiers
        found = phases.run(cp, self.purse.offer(share), self.options, self.stop, symmetry=True)
        self.purse.pay(share, found.used)
        self.counts[found.status.name] += 1
        if not found.solved:
            return None
        if found.optimal:
            cp.add(metric == found.value)
        else:
            cp.add(metric <= found.value if minimise else metric >= found.value)
        plan = self._read(found.solver)
        self.model.learn(plan)
        self.path.append(concluding.point(self.problem, plan, at=time.monotonic() - self.began))
        return plan

    def _placed(self, tier: int) -> cp_model.LinearExprT:
        """Return how many pods down to this tier are placed."""
        return sum(
            x
            for places, item in zip(self.model.x, self.problem.items, strict=True)
            if item.tier <= tier
            for x in places.values()
        )

    def _disturbance(self, tier: int) -> cp_model.LinearExprT:
        """Return placed minus twice stayed, over the running pods: a stay -1, an eviction 0, a move 1."""
        return sum(
            sum(places.values()) - 2 * places[home]
            for places, item, home in zip(self.model.x, self.problem.items, self.ground.homes, strict=True)
            if item.tier <= tier and home is not None
        )

    def _read(self, solver: cp_model.CpSolver) -> Assignment:
        return tuple(
            next((node for node, x in places.items() if solver.boolean_value(x)), None) for places in self.model.x
        )
