"""Plans for tests, made out of a cluster and the names of pods as a solution would make them; by keyword only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from policies.plans.quotas import Kind, kind_of
from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.plans import Headcount, Plan, PlanAction, PlanEntry, Quota
from policies.values.pods import Pod
from policies.values.workloads import WorkloadRef
from tests.builders import make_cluster, make_node, make_pod, make_workload


def make_plan(
    cluster: Cluster,
    *,
    move: Mapping[str, str] | None = None,
    place: Mapping[str, str] | None = None,
    evict: Sequence[str] = (),
    **changes: Any,
) -> Plan:
    """Return the plan that moves and places pods by name, with quotas and headcounts of all their kinds."""
    named = {pod.name: pod for pod in cluster.pods.values()}
    goals: dict[str, str | None] = {**(move or {}), **dict.fromkeys(evict), **(place or {})}
    entries = tuple(_entry(named[name], goals[name], cluster) for name in goals)
    kinds = {kind for name in goals if (kind := kind_of(named[name])) is not None}
    quotas, headcounts = _counts(cluster, kinds, {named[name].uid: goal for name, goal in goals.items()})
    defaults: dict[str, Any] = {"name": "plan-1", "uid": "uid-plan-1", "started_at": cluster.now}
    return Plan(**(defaults | {"entries": entries, "quotas": quotas, "headcounts": headcounts} | changes))


def _entry(pod: Pod, target: str | None, cluster: Cluster) -> PlanEntry:
    action = PlanAction.PLACE if pod.node is None else PlanAction.MOVE
    owner = pod.owner
    return PlanEntry(
        action=PlanAction.EVICT if target is None else action,
        namespace=pod.namespace,
        pod=pod.name,
        uid=pod.uid,
        source=pod.node,
        target=target,
        workload=cluster.workload_of.get(pod.uid),
        controller=None if owner is None else WorkloadRef(owner.kind, pod.namespace, owner.name),
        requests=pod.requests,
        host_ports=pod.constraints.host_ports,
        priority=pod.priority,
        grace_seconds=pod.grace_seconds,
        reason="makes room",
    )


def _counts(
    cluster: Cluster, kinds: set[Kind], goals: Mapping[str, str | None]
) -> tuple[tuple[Quota, ...], tuple[Headcount, ...]]:
    counts: dict[Kind, Counter[str | None]] = {}
    samples: dict[Kind, Pod] = {}
    for pod in cluster.pods.values():
        kind = None if pod.ended or pod.terminating else kind_of(pod)
        if kind is not None and kind in kinds:
            samples[kind] = pod
            counts.setdefault(kind, Counter())[goals.get(pod.uid, pod.node or pod.nominated_node)] += 1
    quotas = tuple(
        Quota(
            controller=kind.controller,
            node=node,
            wanted=wanted,
            requests=kind.requests,
            host_ports=samples[kind].constraints.host_ports,
            priority=samples[kind].priority,
        )
        for kind, count in counts.items()
        for node, wanted in count.items()
        if node is not None
    )
    return quotas, tuple(_headcount(kind, count[None], samples[kind], cluster) for kind, count in counts.items())


def _headcount(kind: Kind, unplaced: int, sample: Pod, cluster: Cluster) -> Headcount:
    workload = cluster.workloads.get(cluster.workload_of.get(sample.uid, WorkloadRef("", "", "")))
    replicas = None if workload is None else workload.wanted
    return Headcount(controller=kind.controller, requests=kind.requests, unplaced=unplaced, replicas=replicas)


def with_pods(cluster: Cluster, *pods: Pod, without: Sequence[str] = ()) -> Cluster:
    """Return a cluster with some pods changed or added, and others gone by name."""
    kept = {uid: pod for uid, pod in cluster.pods.items() if pod.name not in without}
    everybody = kept | {pod.uid: pod for pod in pods}
    fresh = make_cluster((), everybody.values(), cluster.workloads.values())
    return replace(cluster, pods=everybody, workload_of=fresh.workload_of, workloads=fresh.workloads)


def with_node(cluster: Cluster, node: Node) -> Cluster:
    """Return a cluster with another node of that name."""
    return replace(cluster, nodes={**cluster.nodes, node.name: node})


def the_paper(**changes: Any) -> Cluster:
    """Return the paper's example with room for two pods a node: `big-0` fits on n2 once `web-2` has gone to n1.

    n1 has `api-0`, n2 has `api-1` and `web-2`; `web` has two more replicas on n3, which is full.
    """
    nodes = [make_node("n1", cpu=1000), make_node("n2", cpu=1000), make_node("n3", cpu=800)]
    pods = [
        make_pod("api-0", node="n1", workload="api", cpu=500),
        make_pod("api-1", node="n2", workload="api", cpu=500),
        make_pod("web-2", node="n2", workload="web", cpu=400),
        make_pod("web-0", node="n3", workload="web", cpu=400),
        make_pod("web-1", node="n3", workload="web", cpu=400),
        make_pod("big-0", node=None, workload="big", cpu=500),
    ]
    workloads = [make_workload("api", wanted=2), make_workload("web", wanted=3), make_workload("big", wanted=1)]
    return make_cluster(nodes, pods, workloads, **changes)


def the_papers_plan(cluster: Cluster | None = None, **changes: Any) -> Plan:
    """Return the paper's plan: `web-2` moves to n1, `big-0` is placed on n2."""
    return make_plan(cluster or the_paper(), move={"web-2": "n1"}, place={"big-0": "n2"}, **changes)
