"""Algorithm 8 of the paper with its errors mended (B3), so that what Bayplan gains is not just a bug fixed.

Per tier: place as many as possible, then disturb as few as possible; a phase that finds nothing better leaves the plan
as it was. Running pods of later tiers keep a place, and those of every tier where the policy forbids evictions for a
count. A second pass may take pods of later tiers their place, if it runs through. Source: docs/design/optimiser.md.
"""

import time
from collections import Counter
from dataclasses import dataclass
from typing import Final

from descheduler.optimiser import concluding, vectors
from descheduler.optimiser.baselines import ground as surveying
from descheduler.optimiser.baselines import phases
from descheduler.optimiser.baselines.pods import Metric, PodModel
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options, Point, Solution, Stop, doing_nothing

_ALPHA: Final = 0.8  # arbitrary: most of the time is shared by the tiers, the rest goes to whoever needs it
_ANY_PRICE: Final = 10**6


class RepairedSolver:
    """Algorithm 8 repaired."""

    name = "repaired"

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:
        """Return the best plan of its two passes."""
        invalid = phases.invalid(problem, options, solver=self.name)
        if invalid is not None:
            return invalid
        run = _Run(problem, options, stop)
        plan = run.both_passes()
        findings = Findings(
            solver=self.name,
            proven=run.proven,
            path=tuple(run.path),
            timings={"build": run.build, "solve": time.monotonic() - run.began - run.build},
            counts=dict(run.counts),
        )
        return concluding.conclude(problem, plan, options, findings)


class _Run:
    """A run through the tiers, twice where preemption could help."""

    def __init__(self, problem: Problem, options: Options, stop: Stop) -> None:
        self.began = time.monotonic()
        self.problem = problem
        self.options = options
        self.stop = stop
        self.ground = surveying.survey(problem, ties=True)
        self.counts: Counter[str] = Counter()
        self.path: list[Point] = []
        self.proven = True
        self.build = 0.0
        self.spent = 0.0

    def both_passes(self) -> Assignment:
        """Return the plan of the first pass, or of the second where that ran through and is better."""
        first, _ = self._pass(doing_nothing(self.problem), preempting=False)
        if not self._could_preempt(first):
            return first
        second, complete = self._pass(first, preempting=True)
        accepted = complete and vectors.better(self.problem, second, first, self.options)
        return second if accepted else first

    def _left(self) -> float:
        """Return what is left of the time, in the unit of the options."""
        used = time.monotonic() - self.began if self.options.deterministic is None else self.spent
        return max(0.0, phases.total_of(self.options) - used)

    def _could_preempt(self, plan: Assignment) -> bool:
        """Whether a pod without a place is more important than one that runs."""
        counted = vectors.tally(self.problem, plan)
        short = next((tier for tier in range(self.problem.tiers) if counted.unplaced[tier]), self.problem.tiers)
        homes = zip(self.problem.items, self.ground.homes, strict=True)
        return any(item.tier > short for item, home in homes if home is not None)

    def _pass(self, plan: Assignment, *, preempting: bool) -> tuple[Assignment, bool]:
        """Go through the tiers from a plan; say whether every phase had an answer."""
        began = time.monotonic()
        model = PodModel(self.problem, self.ground)
        self.build += time.monotonic() - began
        left = self._left()
        pace = _Pace(share=_ALPHA * left / max(1, 2 * self.problem.tiers), purse=phases.Purse((1 - _ALPHA) * left))
        complete = True
        for tier in range(self.problem.tiers):
            self._rows_of_turn(model, tier, plan, preempting=preempting)
            for metric in (model.placed(tier), model.kept(tier)):
                model.floor(metric, model.value(metric, plan))
                found = self._phase(model, metric, plan, pace)
                complete = complete and found is not None
                plan = found or plan
                model.floor(metric, model.value(metric, plan))
            model.end_turn()
        return plan, complete

    def _rows_of_turn(self, model: PodModel, tier: int, plan: Assignment, *, preempting: bool) -> None:
        tiers = range(self.problem.tiers)
        if preempting:
            price = _ANY_PRICE if self.options.price is None else self.options.price
            model.cap(model.lost(tiers[tier + 1 :]).minus(model.gained(tier), times=price), 0)
            if not self.options.evict_for_count:
                for settled in tiers[: tier + 1]:
                    metric = model.lost([settled])
                    model.cap(metric, model.value(metric, plan))
            return
        first = tier + 1 if self.options.evict_for_count else 0
        model.seat(
            index for index, item in enumerate(self.problem.items) if item.tier >= first and model.running(index)
        )

    def _phase(self, model: PodModel, metric: Metric, plan: Assignment, pace: "_Pace") -> Assignment | None:
        model.hint(plan)
        model.cp.maximize(metric.expression())
        found = phases.run(model.cp, pace.purse.offer(pace.share), self.options, self.stop, symmetry=False)
        pace.purse.pay(pace.share, found.used)
        self.spent += found.used
        self.counts[found.status.name] += 1
        self.proven = self.proven and found.optimal
        if not found.solved:
            return None
        reached = model.read(found.solver)
        self.path.append(concluding.point(self.problem, reached, at=time.monotonic() - self.began))
        return reached


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pace:
    """A phase's own share of the time, and what it may use beyond."""

    share: float
    purse: phases.Purse
