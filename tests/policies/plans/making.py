"""Plans for tests: entries, quotas and pins of small pods, and a plan in force over nodes and pods."""

from collections.abc import Iterable
from typing import Any

from policies.plans.claims import Claims
from policies.plans.force import PlanInForce
from policies.plans.sights import PlanSight, look
from policies.values.nodes import Node
from policies.values.plans import Plan, PlanAction, PlanEntry, PlanPhase, Quota
from policies.values.pods import Pod
from policies.values.resources import Resources
from policies.values.workloads import WorkloadRef
from tests.builders import make_pod, make_resources

SMALL = make_resources(cpu=100, memory=64 * 2**20, pods=1)


def controller(workload: str = "web") -> WorkloadRef:
    """Return the ReplicaSet that `make_pod` gives a workload."""
    return WorkloadRef("ReplicaSet", "default", f"{workload}-rs")


def make_quota(
    workload: str = "web", node: str = "n1", *, wanted: int = 1, requests: Resources = SMALL, **changes: Any
) -> Quota:
    """Return a quota for pods as `make_pod` makes them."""
    return Quota(controller=controller(workload), node=node, wanted=wanted, requests=requests, **changes)


def make_entry(pod: Pod, target: str | None, **changes: Any) -> PlanEntry:
    """Return what happens to a pod: a placement, a move, or without a target an eviction."""
    moved = PlanAction.PLACE if pod.node is None else PlanAction.MOVE
    return PlanEntry(
        action=moved if target is not None else PlanAction.EVICT,
        namespace=pod.namespace,
        pod=pod.name,
        uid=pod.uid,
        source=pod.node,
        target=target,
        controller=None if pod.owner is None else WorkloadRef(pod.owner.kind, pod.namespace, pod.owner.name),
        requests=pod.requests,
        priority=pod.priority,
        **changes,
    )


def make_plan(*quotas: Quota, entries: Iterable[PlanEntry] = (), **changes: Any) -> Plan:
    """Return a plan that is being carried out."""
    defaults: dict[str, Any] = {"name": "p", "uid": "u", "phase": PlanPhase.EVICTING}
    return Plan(**(defaults | {"quotas": quotas, "entries": tuple(entries)} | changes))


def in_force(plan: Plan, nodes: Iterable[Node], pods: Iterable[Pod] = ()) -> PlanInForce:
    """Return a plan in force over some nodes and pods."""
    return PlanInForce(plan, {node.name: node for node in nodes}, pods)


def look_at(
    pod: Pod, force: PlanInForce, *, claims: Claims | None = None, nodes: Iterable[Node] = (), held: bool = False
) -> PlanSight:
    """Return what a plan in force means to a pod."""
    return look(pod, force, claims or Claims(), nodes={node.name: node for node in nodes}, held=held)


def pending(name: str, workload: str = "web", **changes: Any) -> Pod:
    """Return a pod that waits for a node."""
    return make_pod(name, node=None, workload=workload, **changes)
