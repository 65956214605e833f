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
from policies.plans.sameness import Circumstances, SolvedStates, state_hash
from policies.rails.situation import Situation
from policies.values.plans import Plan
from policies.values.refusals import Refusal
from sources.clocks import Clock

NOTHING_PENDING: Final = "nothing-pending"
SAME_STATE: Final = "same-state"
LEAST: Final = 0.05  # what a solve gets although building its problem took all the time: enough to do nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be solved: a moment, the pods that must leave, the pairs that rest, and how long (s) it may take.

    A state that is in `solved` often enough is not solved again.
    """

    situation: Situation
    time_limit: float
    policy_hash: str = ""
    solved: SolvedStates = field(default_factory=SolvedStates)
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
    state: str = ""
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
        state = _state(built, question)
        if not question.solved.due(state):
            return Computed(built=built, why_none=SAME_STATE)
        options = options_of(question.situation.policy.plan, seed=self.seed)
        left = max(LEAST, question.time_limit - (self.clock.monotonic() - began))
        solution = self.solver().solve(built.problem, replace(options, time_limit=left), stop)
        found = Computed(built=built, solution=solution, state=state, seconds=self.clock.monotonic() - began)
        answer = to_plan(built, solution, template)
        if isinstance(answer, Refusal):
            return replace(found, why_none=answer.rail, refusal=answer)
        return replace(found, plan=answer) if answer.entries else replace(found, why_none=str(solution.proof))


def _state(built: Built, question: Question) -> str:
    problem = built.problem
    allowed = {budget.name: budget.allowed for budget in problem.budgets}
    return state_hash(
        built.situation.cluster,
        Circumstances(
            policy_hash=question.policy_hash,
            hot={*question.relief, *(site.name for site in problem.sites if not site.accepts)},
            fixed=built.fixed,
            allowed=allowed | {"max": -1 if problem.max_disruptions is None else problem.max_disruptions},
        ),
    )
