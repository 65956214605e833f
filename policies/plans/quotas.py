"""What a plan still wants of each node, counted from live bound pods; an absolute number, never a counter of its own.

A counter of what is still to come diverges over replicas and restarts; wanted minus bound does not. Times, nodes'
capacities and pending pods play no part here.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from policies.values.plans import Plan, PlanEntry, Quota
from policies.values.pods import Pod
from policies.values.resources import Resources
from policies.values.workloads import WorkloadRef


class Kind(NamedTuple):
    """Pods that are as good as each other to a plan: of one controller, with equal requests (amounts of 0 left out)."""

    controller: WorkloadRef
    requests: Resources


class Place(NamedTuple):
    """A kind of pods on a node."""

    kind: Kind
    node: str


def kind_of(pod: Pod) -> Kind | None:
    """Return what a pod counts as, None for a bare one, which is known by its UID only."""
    if pod.owner is None:
        return None
    return kind(WorkloadRef(pod.owner.kind, pod.namespace, pod.owner.name), pod.requests)


def kind_among(pod: Pod, controllers: Container[WorkloadRef]) -> Kind | None:
    """Return what a pod counts as if one of some controllers made it; most pods are of none, which costs least."""
    if pod.owner is None:
        return None
    controller = WorkloadRef(pod.owner.kind, pod.namespace, pod.owner.name)
    return kind(controller, pod.requests) if controller in controllers else None


def kind(controller: WorkloadRef, requests: Resources) -> Kind:
    """Return the kind of a controller's pods with some requests."""
    if all(requests.amounts.values()):
        return Kind(controller, requests)
    return Kind(controller, Resources({name: amount for name, amount in requests.amounts.items() if amount}))


def place_of(quota: Quota) -> Place:
    """Return whom a quota counts, and where."""
    return Place(kind(quota.controller, quota.requests), quota.node)


def place_for(entry: PlanEntry) -> Place | None:
    """Return where one like an entry's pod is to come; None for a bare one, and for one that gets no node."""
    if entry.controller is None or entry.target is None:
        return None
    return Place(kind(entry.controller, entry.requests), entry.target)


def kinds_of(plan: Plan) -> frozenset[Kind]:
    """Return the kinds of pods that the plan counts."""
    return frozenset(kind(headcount.controller, headcount.requests) for headcount in plan.headcounts)


def leaving(plan: Plan) -> frozenset[str]:
    """Return the UIDs of the pods that the plan takes away, done or not: nobody counts on them any more."""
    return frozenset(entry.uid for entry in plan.disruptions)


def live(pod: Pod) -> bool:
    """Tell whether a pod stands on a node and is there to stay, as far as it can be seen."""
    return pod.node is not None and not pod.ended and not pod.terminating


def wanted(plan: Plan) -> Mapping[Place, int]:
    """Return how many live pods of each kind the plan wants on each node."""
    counts: Counter[Place] = Counter()
    for quota in plan.quotas:
        counts[place_of(quota)] += quota.wanted
    return counts


def bound(plan: Plan, pods: Iterable[Pod], *, places: Mapping[Place, int] | None = None) -> Mapping[Place, int]:
    """Return how many live pods there are in each place of the plan, without those that it takes away.

    `places` are what it wants, for those who know already.
    """
    places, gone = wanted(plan) if places is None else places, leaving(plan)
    controllers = {place.kind.controller for place in places}
    counts = dict.fromkeys(places, 0)
    for pod in pods:
        if pod.node is None or pod.uid in gone or not live(pod):
            continue
        found = kind_among(pod, controllers)
        if found is not None and (place := Place(found, pod.node)) in counts:
            counts[place] += 1
    return counts


def remaining(plan: Plan, pods: Iterable[Pod]) -> Mapping[Place, int]:
    """Return how many pods are still to come in each place of the plan, 0 where as many as wanted or more stand."""
    places = wanted(plan)
    present = bound(plan, pods, places=places)
    return {place: max(0, count - present[place]) for place, count in places.items()}


def making_way(plan: Plan, pods: Iterable[Pod], *, left: Mapping[Place, int] | None = None) -> tuple[Pod, ...]:
    """Return the pods that end where the plan awaits another one of their kind: whoever comes takes their room.

    `left` is what remains, for those who know already.
    """
    everybody = tuple(pods)
    left = remaining(plan, everybody) if left is None else left
    awaited = {place for place, count in left.items() if count > 0}
    controllers, gone = {place.kind.controller for place in awaited}, leaving(plan)
    ending = (pod for pod in everybody if pod.terminating and not pod.ended and pod.uid not in gone)
    return tuple(
        pod
        for pod in ending
        if pod.node is not None and (of := kind_among(pod, controllers)) is not None and Place(of, pod.node) in awaited
    )


def unbound_pins(plan: Plan, pods: Iterable[Pod]) -> Mapping[str, PlanEntry]:
    """Return the bare pods, by UID, that the plan places and that stand on no node yet.

    One that is not among the pods is still to come, too: whoever lists them may be behind.
    """
    pins = plan.pins
    settled = {pod.uid for pod in pods if pod.uid in pins and pod.node is not None}
    return {uid: entry for uid, entry in pins.items() if uid not in settled}
