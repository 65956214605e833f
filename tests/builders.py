"""One place to make pods, nodes and clusters for tests: sensible defaults, everything else by keyword.

Defaults follow the set-up of the field cases: nodes are Ready with 4 CPU, 8 Gi and 110 pods in zone `a`; pods are
Running and Ready for an hour, belong to a Deployment, request little and have no volumes.
"""

from collections.abc import Iterable
from typing import Any

from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import Owner, Phase, Pod
from policies.values.resources import CPU, MEMORY, PODS, Resources
from policies.values.workloads import Workload, WorkloadRef

NOW = 1_800_000_000.0
HOUR = 3600.0
GIB = 2**30


def make_resources(*, cpu: int = 0, memory: int = 0, **others: int) -> Resources:
    """Return resources: `cpu` in milli-cores, `memory` in bytes; leaves out what is 0."""
    amounts = {CPU: cpu, MEMORY: memory, **others}
    return Resources({name: amount for name, amount in amounts.items() if amount})


def make_node(name: str = "n1", *, cpu: int = 4000, memory: int = 8 * GIB, pods: int = 110, **changes: Any) -> Node:
    """Return a Ready node in zone `a`."""
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "a"} | changes.pop("labels", {})
    room = make_resources(cpu=cpu, memory=memory, **{PODS: pods}, **changes.pop("extended", {}))
    return Node(**({"name": name, "uid": f"uid-{name}", "labels": labels, "allocatable": room} | changes))


def make_pod(
    name: str = "web-0", *, node: str | None = "n1", workload: str = "web", cpu: int = 100, **changes: Any
) -> Pod:
    """Return a Running pod of the ReplicaSet `<workload>-rs`, an hour old; `node=None` makes it Pending."""
    since = None if node is None else NOW - HOUR
    defaults: dict[str, Any] = {
        "namespace": "default",
        "name": name,
        "uid": f"uid-{name}",
        "labels": {"app": workload},
        "owner": Owner("ReplicaSet", f"{workload}-rs", f"uid-{workload}-rs"),
        "node": node,
        "phase": Phase.PENDING if node is None else Phase.RUNNING,
        "ready": node is not None,
        "created_at": NOW - HOUR,
        "bound_at": since,
        "started_at": since,
        "ready_since": since,
        "scheduler_name": "bayplan-scheduler",
        "requests": make_resources(cpu=cpu, memory=64 * 2**20, **{PODS: 1}),
    }
    return Pod(**(defaults | changes))


def make_workload(name: str = "web", *, kind: str = "Deployment", wanted: int | None = 3, **changes: Any) -> Workload:
    """Return a workload at rest in the default namespace."""
    ref = WorkloadRef(kind, changes.pop("namespace", "default"), name)
    defaults: dict[str, Any] = {"ref": ref, "uid": f"uid-{name}", "wanted": wanted}
    return Workload(**(defaults | changes))


def make_cluster(
    nodes: Iterable[Node] = (), pods: Iterable[Pod] = (), workloads: Iterable[Workload] = (), **changes: Any
) -> Cluster:
    """Return a cluster in which each pod of `<w>-rs` belongs to the given workload `w`, or else to a Deployment."""
    known = {workload.ref.name: workload for workload in workloads}
    pods = tuple(pods)
    refs: dict[str, WorkloadRef] = {}
    for pod in pods:
        if pod.owner is not None:
            name = pod.owner.name.removesuffix("-rs")
            kind = "Deployment" if pod.owner.kind == "ReplicaSet" else pod.owner.kind
            refs[pod.uid] = known[name].ref if name in known else WorkloadRef(kind, pod.namespace, name)
    found = {workload.ref: workload for workload in known.values()}
    missing = {ref: Workload(ref=ref, wanted=3) for ref in refs.values() if ref not in found}
    defaults: dict[str, Any] = {
        "now": NOW,
        "nodes": {node.name: node for node in nodes},
        "pods": {pod.uid: pod for pod in pods},
        "workloads": found | missing,
        "workload_of": refs,
    }
    return Cluster(**(defaults | changes))
