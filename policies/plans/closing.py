"""What becomes of plans at their end and after it: how orphans end, what failures leave behind, what is forgotten.

All of it is read from the plans in the cluster, so that it survives the process that made them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from policies.budgets.cool_down import grown
from policies.model.policy import Policy
from policies.plans.converging import progress
from policies.plans.rails import Pair
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanPhase

KEPT: Final = 20
VALIDATED: Final = "Validated"
_FAILED: Final = frozenset({PlanPhase.ABORTED, PlanPhase.TIMED_OUT})
_COMPLETED: Final = "every wanted pod was bound when the next leader looked"


def outcome(plan: Plan, cluster: Cluster) -> tuple[PlanPhase, str]:
    """Return how the plan of a leader that is gone ends, and why: Completed where all is bound, else Aborted.

    It is never resumed: what its leader had decided from is not known, and its next call may still arrive.
    """
    if not plan.entries:
        return PlanPhase.ABORTED, f"its leader was gone in {plan.phase}, before anything was decided"
    found = progress(plan, cluster)
    if found.done:
        return PlanPhase.COMPLETED, _COMPLETED
    return PlanPhase.ABORTED, f"its leader was gone in {plan.phase}; {found.missing}"


def cost_something(plan: Plan) -> bool:
    """Tell whether a plan got beyond its validation: only then was anything evicted, or anybody waited for.

    What the world overtakes before that is dropped every few seconds in a busy cluster, and may be tried again.
    """
    return any(condition.kind == VALIDATED and condition.met for condition in plan.conditions)


def resting(plans: Iterable[Plan], policy: Policy, *, now: float) -> Mapping[Pair, float]:
    """Return until when the pairs of failed plans rest, by workload and node.

    The first failure gives `plan.eviction.coolDown.initial`, each further one in a row `factor` times more, up to
    `max`; a plan that completed with the pair starts over. Observed plans fail nobody.
    """
    cool_down = policy.plan.eviction.cool_down
    streaks: dict[Pair, int] = {}
    ends: dict[Pair, float] = {}
    for plan in _oldest_first(plans):
        for pair in pairs(plan):
            if plan.phase is PlanPhase.COMPLETED:
                streaks.pop(pair, None)
                ends.pop(pair, None)
            elif plan.phase in _FAILED and cost_something(plan):
                streaks[pair] = streaks.get(pair, 0) + 1
                ends[pair] = _end(plan) + grown(cool_down, times=streaks[pair])
    return {pair: end for pair, end in ends.items() if end > now}


def pairs(plan: Plan) -> Iterator[Pair]:
    """Yield the workload and source node of each disruption; of an observed plan none, as nothing happened."""
    for entry in () if plan.observing else plan.disruptions:
        yield entry.workload, entry.source or ""


def forgettable(plans: Sequence[Plan], policy: Policy, *, now: float) -> tuple[Plan, ...]:
    """Return the finished plans to delete, oldest first: all but the last 20 and those whose pairs still rest."""
    finished = [plan for plan in _oldest_first(plans) if plan.phase.ended]
    rest = resting(finished, policy, now=now)
    old = finished[: max(0, len(finished) - KEPT)]
    return tuple(plan for plan in old if not (plan.phase in _FAILED and any(pair in rest for pair in pairs(plan))))


def _oldest_first(plans: Iterable[Plan]) -> list[Plan]:
    return sorted(plans, key=lambda plan: (_end(plan), plan.name))


def _end(plan: Plan) -> float:
    return plan.started_at if plan.finished_at is None else plan.finished_at
