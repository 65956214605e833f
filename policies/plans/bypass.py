"""Who took what a plan reserves, past the extender or above it: a reason to end the plan before its next eviction.

A pod that stands beside the reservations explains itself: it passed the extender, or took nothing. So what is looked
at is what is left, and only where that is too little, who came, grew or shrank since the plan was validated.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from policies.plans.force import PlanInForce
from policies.plans.quotas import Place, kind_of, making_way, remaining, wanted
from policies.plans.reservations import Reserve, ports_clash, times
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.pods import Pod
from policies.values.resources import total

HOST_PORT = "a host port"


def unexplained(plan: Plan, before: Cluster, now: Cluster) -> str | None:
    """Return why a node has not enough left for those who are still to come to it, None where all have.

    `before` is the state that the plan was validated on.
    """
    left = remaining(plan, now.pods.values())
    # A planned pod that was bound and ends again takes no room from the one that is awaited in its place.
    ending = {pod.uid for pod in making_way(plan, now.pods.values(), left=left)}
    now = replace(now, pods={uid: pod for uid, pod in now.pods.items() if uid not in ending}) if ending else now
    # Nodes to which nobody is to come any more have nothing to lose, and are most of a plan's.
    awaited = {place.node for place, count in left.items() if count > 0}
    rest = replace(plan, quotas=tuple(quota for quota in plan.quotas if quota.node in awaited))
    receiving = awaited | {entry.target for entry in plan.pins.values()}
    there = [pod for pod in now.pods.values() if (pod.node or pod.nominated_node) in receiving]
    force = PlanInForce(rest, now.nodes, there)
    for name, reserve in sorted(force.promised.items()):
        lost = next(_lost(name, reserve, force, now), None)
        if lost is not None:
            return _cause(name, lost, force, before=before, now=now)
    return None


def _lost(name: str, reserve: Reserve, force: PlanInForce, now: Cluster) -> Iterator[str]:
    """Yield what a node has too little of, by name of the resource."""
    promised = total(times(promise.requests, promise.count) for promise in reserve.promises)
    left = reserve.free - promised - total(pod.requests for pod in reserve.nominated)
    yield from (each for each, amount in sorted(promised.amounts.items()) if amount > 0 and left[each] < 0)
    ports = tuple(port for promise in reserve.promises for port in promise.host_ports)
    taken = (port for pod in _there(name, force, now) for port in pod.constraints.host_ports) if ports else ()
    if ports_clash(ports, taken):
        yield HOST_PORT


def _there(name: str, force: PlanInForce, now: Cluster) -> Iterator[Pod]:
    """Yield the pods that take room on a node and that the plan does not take away, nominated ones included."""
    for pod in now.pods.values():
        if name == (pod.node or pod.nominated_node) and not pod.ended and pod.uid not in force.leaving:
            yield pod


def _cause(name: str, lost: str, force: PlanInForce, *, before: Cluster, now: Cluster) -> str:
    there = tuple(_there(name, force, now))
    comers = [pod for pod in there if _came(pod, name, before)]
    culprit = _greediest(lost, _unplanned(name, comers, force.plan))
    if culprit is not None:
        how = "took" if culprit.node is not None else "is nominated there and takes"
        return f"{culprit} ({_who(culprit)}) {how} {lost} that the plan reserves on {name}"
    grown = _greediest(lost, (pod for pod in there if _grew(pod, lost, before)))
    if grown is not None:
        return f"{grown} was resized on {name} and takes {lost} that the plan reserves there"
    old, new = before.nodes.get(name), now.nodes.get(name)
    if new is None:
        return f"node {name} is gone"
    if old is not None and old.allocatable[lost] > new.allocatable[lost]:
        return f"node {name} shrank: {new.allocatable[lost]} of {lost} can be allocated, {old.allocatable[lost]} before"
    return f"node {name} has too little {lost} left for what the plan wants there"


def _came(pod: Pod, name: str, before: Cluster) -> bool:
    old = before.pods.get(pod.uid)
    return old is None or name != (old.node or old.nominated_node)


def _unplanned(name: str, comers: Iterable[Pod], plan: Plan) -> Iterator[Pod]:
    """Yield the newcomers whom the plan does not want there, or not that many of; the last ones are too many."""
    left = {place.kind: count for place, count in wanted(plan).items() if place.node == name}
    for pod in sorted(comers, key=lambda pod: (pod.bound_at or 0.0, pod.uid)):
        kind, pin = kind_of(pod), plan.pins.get(pod.uid)
        if pin is not None and pin.target == name:
            continue
        if kind is not None and Place(kind, name) in wanted(plan) and left[kind] > 0:
            left[kind] -= 1
            continue
        yield pod


def _greediest(lost: str, pods: Iterable[Pod]) -> Pod | None:
    return max(pods, key=lambda pod: (_takes(pod, lost), pod.uid), default=None)


def _takes(pod: Pod, lost: str) -> int:
    return len(pod.constraints.host_ports) if lost == HOST_PORT else pod.requests[lost]


def _grew(pod: Pod, lost: str, before: Cluster) -> bool:
    old = before.pods.get(pod.uid)
    return old is not None and _takes(pod, lost) > _takes(old, lost)


def _who(pod: Pod) -> str:
    if pod.static:
        return "a static pod"
    if pod.owner is not None and pod.owner.kind == "DaemonSet":
        return "a DaemonSet pod"
    return f"priority {pod.priority}, scheduler {pod.scheduler_name}"
