"""The rails as they hold for plans: the same ones, with the values of `plan.eviction`, and two that only plans have.

Debounce, net gain and destination are no rails of a plan: its vector and the independent checker stand for them.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypeAlias

from policies.model.policy import Policy
from policies.rails.order import first_refusal
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal
from policies.values.workloads import WorkloadRef

MAX_GRACE: Final = "max-grace"
FAILED_PLAN: Final = "failed-plan"

Pair: TypeAlias = tuple[WorkloadRef | None, str]
"""A workload and the node that a plan would have taken a pod of it from."""
_NOBODY: Final[Mapping[Pair, float]] = MappingProxyType({})


def under_plan_rules(policy: Policy) -> Policy:
    """Return a policy whose `eviction` has the values that disruptions of a plan must respect."""
    plan = policy.plan
    changes = {
        "limits": plan.eviction.limits,
        "min_ready_replicas": plan.eviction.min_ready_replicas,
        "min_pod_age": plan.eviction.min_pod_age,
        "cool_down": plan.eviction.cool_down,
        # A node's share of a joint decision is bounded by its limit alone.
        "victims_per_node": max(1, plan.max_disruptions),
        "destination": "off",
        "net_gain": "off",
    }
    return policy.model_copy(update={"eviction": policy.eviction.model_copy(update=changes)})


def under_plan(situation: Situation) -> Situation:
    """Return the same moment as it counts for plans; what refuses names `plan.eviction`."""
    return replace(situation, policy=under_plan_rules(situation.policy), section="plan.eviction")


def first_plan_refusal(
    candidate: Candidate, situation: Situation, *, resting: Mapping[Pair, float] = _NOBODY
) -> Refusal | None:
    """Return why a plan must not disrupt a pod, None where it may. `situation` is one of `under_plan`.

    `resting` are the pairs of failed plans with the time until which each rests (`closing.resting`).
    """
    refusal = first_refusal(candidate, situation)
    return refusal or _too_slow(candidate, situation) or _failed_lately(candidate, situation, resting)


def _too_slow(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that take long to end: the whole plan would wait for them, and hold its reservations meanwhile."""
    grace, most = candidate.pod.grace_seconds, situation.policy.plan.max_grace
    if grace <= most:
        return None
    return Refusal(MAX_GRACE, f"{candidate.pod} may take {grace:.0f} s to end, plan.maxGrace is {most:.0f} s")


def _failed_lately(candidate: Candidate, situation: Situation, resting: Mapping[Pair, float]) -> Refusal | None:
    """Refuse what the last plans failed with, so that the same plan is not made again and again."""
    ref = situation.ref(candidate)
    left = resting.get((ref, candidate.node), situation.now) - situation.now
    if left <= 0:
        return None
    return Refusal(FAILED_PLAN, f"a plan that moved {ref} off {candidate.node} failed: rests for another {left:.0f} s")
