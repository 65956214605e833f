"""Whether a plan still holds on fresh state: before its first eviction as a whole, and step by step before each one.

What the world has overtaken is dropped rather than mended: a plan is one joint decision.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from policies.plans.end_state import why_not
from policies.plans.gains import in_vain, left_by_itself, still_wanted
from policies.plans.quotas import Kind, Place, kind, kind_among, kinds_of, leaving, wanted
from policies.plans.rails import Pair, first_plan_refusal, under_plan
from policies.rails.situation import Situation
from policies.values import kinds
from policies.values.candidates import Candidate, Victim
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanEntry
from policies.values.pods import Pod
from policies.values.refusals import Refusal, Scope

RULE: Final = "plan"
DRIFT: Final = "plan-drift"
NO_GAIN: Final = "no-gain"
PLAN_SIZE: Final = "plan-size"
UNREADABLE: Final = "unreadable"
_NEEDED: Final = (kinds.NODES, kinds.PODS)


def invalid(plan: Plan, situation: Situation, *, resting: Mapping[Pair, float] | None = None) -> Refusal | None:
    """Return the first reason why a plan must not be carried out, None where it may.

    `situation` is read after every replica of the extender has shown the plan. Drift first, as what has changed is the
    cause of what follows from it; then the end state; then the rails, each disruption counting for the next ones.
    """
    situation = under_plan(situation)
    return (
        _unreadable(situation.cluster)
        or _drifted(plan, situation.cluster)
        or _pointless(plan, situation)
        or why_not(plan, situation.cluster)
        or _refused(plan, situation, resting or {})
    )


def step_still_good(plan: Plan, entry: PlanEntry, situation: Situation) -> Refusal | None:
    """Return why one disruption must not be carried out any more, None where it may.

    `situation` is read after the last step: its records show the plan's evictions so far, and its pods show those
    evicted as terminating or gone (a PDB's status counts them already). NO_GAIN says that the plan goes on without it.
    """
    situation = under_plan(situation)
    return (
        _unreadable(situation.cluster)
        or _scaled_away(plan, entry, situation.cluster)
        or _moved_on(entry, situation.cluster)
        or _still_possible(plan, entry, situation.cluster)
        or first_plan_refusal(_candidate(entry, situation.cluster), situation)
    )


def _unreadable(cluster: Cluster) -> Refusal | None:
    for name in _NEEDED:
        if name in cluster.unreadable:
            message = f"{name} could not be read, so they are unknown: {cluster.unreadable[name]}"
            return Refusal(UNREADABLE, message, Scope.CLUSTER)
    return None


# ---------------------------------------------------------------------- drift


def _drifted(plan: Plan, cluster: Cluster) -> Refusal | None:
    steps = (_moved_on(entry, cluster) for entry in plan.disruptions)
    pins = (_settled(entry, cluster) for entry in plan.pins.values())
    found = next((refusal for refusal in (*steps, *pins) if refusal is not None), None)
    return found or next(_miscounted(plan, cluster), None)


def _moved_on(entry: PlanEntry, cluster: Cluster) -> Refusal | None:
    """Say whether a pod that is to leave is still the one, where it was."""
    pod = cluster.pods.get(entry.uid)
    if pod is None or pod.ended:
        return Refusal(DRIFT, f"{entry} on {entry.source} is gone")
    if pod.node != entry.source:
        return Refusal(DRIFT, f"{entry} is on {pod.node}, the plan takes it off {entry.source}")
    if pod.terminating:
        return Refusal(DRIFT, f"{entry} on {entry.source} is terminating already")
    if _asks(pod) != Counter(entry.requests.amounts):
        return Refusal(DRIFT, f"{entry} on {entry.source} has other requests than the plan knows")
    return None


def _settled(entry: PlanEntry, cluster: Cluster) -> Refusal | None:
    """Say whether a bare pod that is to be placed still waits."""
    pod = cluster.pods.get(entry.uid)
    if pod is None or pod.ended or pod.terminating:
        return Refusal(DRIFT, f"{entry}, to be placed on {entry.target}, is gone")
    place = pod.node or pod.nominated_node
    if place is not None and (pod.node is not None or place != entry.target):
        how = "bound" if pod.node is not None else "nominated"
        return Refusal(DRIFT, f"{entry}, to be placed on {entry.target}, is {how} to {place}")
    return None


def _asks(pod: Pod) -> Counter[str]:
    # As counters, an amount of 0 equals one that is not named.
    return Counter(pod.requests.amounts)


def _miscounted(plan: Plan, cluster: Cluster) -> Iterator[Refusal]:
    """Yield where there are more or fewer pods of the plan's kinds than it was made for: on a node, or waiting."""
    standing, waiting = _census(plan, cluster)
    expected, awaited = _expectation(plan)
    for place in {**expected, **standing}:
        if standing[place] != expected[place]:
            seen = f"such pods of {place.kind.controller} that stay on {place.node}: {standing[place]}"
            yield Refusal(DRIFT, f"{seen}, the plan was made for {expected[place]}", Scope.WORKLOAD)
    for of, count in awaited.items():
        if waiting[of] != count:
            seen = f"such pods of {of.controller} that wait for a node: {waiting[of]}"
            yield Refusal(DRIFT, f"{seen}, the plan was made for {count}", Scope.WORKLOAD)


def _census(plan: Plan, cluster: Cluster) -> tuple[Counter[Place], Counter[Kind]]:
    """Return how many pods of the plan's kinds stay on each node, nominated ones included, and how many wait."""
    known = kinds_of(plan)
    controllers, gone = {of.controller for of in known}, leaving(plan)
    standing, waiting = Counter[Place](), Counter[Kind]()
    for pod in cluster.pods.values():
        of = None if pod.ended or pod.terminating or pod.uid in gone else kind_among(pod, controllers)
        if of is None or of not in known:
            continue
        node = pod.node or pod.nominated_node
        if node is None:
            waiting[of] += 1
        else:
            standing[Place(of, node)] += 1
    return standing, waiting


def _expectation(plan: Plan) -> tuple[Counter[Place], Counter[Kind]]:
    """Return the same two as the plan was made for: its quotas without those who come, and those whom it leaves out.

    A headcount's unplaced pods include those whom the plan evicts, which do not wait yet.
    """
    standing = Counter(wanted(plan))
    waiting = Counter(
        {kind(headcount.controller, headcount.requests): headcount.unplaced for headcount in plan.headcounts}
    )
    for entry in plan.entries:
        if entry.controller is None:
            continue
        of = kind(entry.controller, entry.requests)
        if entry.target is None:
            waiting[of] -= 1
            continue
        standing[Place(of, entry.target)] -= 1
        waiting[of] += entry.source is None
    return standing, waiting


# ---------------------------------------------------------------------- worth and rails


def _pointless(plan: Plan, situation: Situation) -> Refusal | None:
    """Refuse a plan that loses more important pods than it gains, or more pods than it may cost."""
    policy = situation.policy.plan
    if len(plan.disruptions) > policy.max_disruptions:
        message = f"disruptions: {len(plan.disruptions)}, plan.maxDisruptions is {policy.max_disruptions}"
        return Refusal(PLAN_SIZE, message, Scope.CLUSTER)
    return _lossy(plan, evict_for_count=policy.evict_for_count)


def _lossy(plan: Plan, *, evict_for_count: bool) -> Refusal | None:
    """Refuse evictions that no gain stands for: a strictly more important one, or with the switch a higher count."""
    gained = Counter(entry.priority for entry in plan.entries if entry.source is None)
    lost = Counter(entry.priority for entry in plan.entries if entry.target is None)
    for priority in sorted({*gained, *lost}, reverse=True):
        spare = gained[priority] if evict_for_count else 0
        if lost[priority] > spare:
            message = (
                f"pods of priority {priority} that would lose their place for no more important gain: {lost[priority]}"
            )
            return Refusal(NO_GAIN, message, Scope.CLUSTER)
        if gained[priority] > lost[priority]:
            return None
    return (
        Refusal(NO_GAIN, f"pods that would lose their place for as many: {lost.total()}", Scope.CLUSTER)
        if lost
        else None
    )


def _scaled_away(plan: Plan, entry: PlanEntry, cluster: Cluster) -> Refusal | None:
    if not left_by_itself(plan, entry, cluster):
        return None
    return Refusal(NO_GAIN, f"{entry} on {entry.source} was scaled away", Scope.WORKLOAD)


def _still_possible(plan: Plan, entry: PlanEntry, cluster: Cluster) -> Refusal | None:
    """Ask about the end state of what is left of the plan, and whether the step is part of that."""
    left = still_wanted(plan, cluster)
    refusal = why_not(left, cluster)
    if refusal is not None:
        return refusal
    why = in_vain(plan, entry, cluster, left=left)
    return None if why is None else Refusal(NO_GAIN, why, Scope.WORKLOAD)


def _refused(plan: Plan, situation: Situation, resting: Mapping[Pair, float]) -> Refusal | None:
    """Ask every rail about every disruption, in their order, each one as if those before had happened."""
    proposed = frozenset(entry.uid for entry in plan.disruptions)
    situation = replace(situation, proposed=proposed)
    for entry in plan.disruptions:
        candidate = _candidate(entry, situation.cluster)
        refusal = first_plan_refusal(candidate, situation, resting=resting)
        if refusal is not None:
            return refusal
        situation = situation.plus(Victim(candidate=candidate, destination=entry.target))
    return None


def _candidate(entry: PlanEntry, cluster: Cluster) -> Candidate:
    return Candidate(
        pod=cluster.pods[entry.uid],
        node=entry.source or "",
        rule=RULE,
        reason=entry.reason,
        workload=entry.workload,
    )
