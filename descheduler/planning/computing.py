"""From a snapshot to a plan: builds the problem, asks the solver, and turns the answer into entries; writes nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from descheduler.optimiser.opening import options_of
from descheduler.optimiser.solution import Proof, Solution, Solver, Stop
from descheduler.planning.problems.building import Built, build
from descheduler.planning.problems.measured import NOTHING_MEASURED, Measured
from descheduler.planning.problems.plans import to_plan
from policies.plans.rails import Pair, under_plan
from policies.rails.situation import Situation
from policies.values.plans import Plan
from policies.values.refusals import Refusal
from sources.clocks import Clock

NOTHING_PENDING: Final = "nothing-pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be solved: a moment, the pods that must leave, the pairs that rest, and how long (s) it may take."""

    situation: Situation
    time_limit: float
    relief: frozenset[str] = frozenset()
    measured: Measured = NOTHING_MEASURED
    resting: Mapping[Pair, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """What came of it: a plan with entries, or none and why. `solution` is None where nothing was there to solve."""

    plan: Plan | None = None
    why_none: str = ""
    refusal: Refusal | None = None
    built: Built | None = None
    solution: Solution | None = None
    seconds: float = 0.0

    @property
    def proven(self) -> bool:
        """Whether solving the same state again could not give anything better."""
        if self.solution is None:
            return self.built is not None
        return self.solution.proof in {Proof.IMPROVED_PROVEN, Proof.NOTHING_BETTER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Computer:
    """Solves with the policy's solver, which stays open from one solve to the next."""

    solver: Callable[[], Solver]
    clock: Clock
    seed: int = 1

    def compute(self, question: Question, template: Plan, stop: Stop) -> Computed:
        """Return the plan for a moment, without a name and a place in the cluster yet."""
        began = self.clock.monotonic()
        built = build(
            under_plan(question.situation),
            measured=question.measured,
            relief=question.relief,
            resting=question.resting,
        )
        if all(item.node is not None and not item.must_leave for item in built.problem.items):
            return Computed(built=built, why_none=NOTHING_PENDING)
        options = options_of(question.situation.policy.plan, seed=self.seed)
        left = max(0.05, question.time_limit - (self.clock.monotonic() - began))
        solution = self.solver().solve(built.problem, replace(options, time_limit=left), stop)
        seconds = self.clock.monotonic() - began
        answer = to_plan(built, solution, template)
        if isinstance(answer, Refusal):
            return Computed(why_none=answer.rail, refusal=answer, built=built, solution=solution, seconds=seconds)
        plan = answer if answer.entries else None
        return Computed(
            plan=plan, why_none="" if plan else str(solution.proof), built=built, solution=solution, seconds=seconds
        )
