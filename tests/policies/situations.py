"""Situations, candidates, records and standings for tests of what an eviction must pass; adjusted by keyword only."""

from collections.abc import Iterable, Mapping
from typing import Any

from policies.model.buoyancy import Buoyancy
from policies.model.eviction import Eviction
from policies.model.policy import Policy
from policies.model.signals import ResourceSignal, Signals
from policies.rails.situation import Situation
from policies.values.candidates import Candidate, Outcome, Proposal
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.records import EvictionRecord, Landing, RecordState, Verification
from policies.values.standings import Confidence, NodeStanding
from policies.values.workloads import WorkloadRef
from tests.builders import NOW, make_cluster, make_node, make_pod

CPU = ResourceSignal(node="cpu", pod="cpu", additive=True)


def make_policy(
    *, filter_below: float = 0.1, resources: Mapping[str, ResourceSignal] | None = None, **eviction: Any
) -> Policy:
    """Return an enforcing policy with one additive resource, cpu; fields of `eviction` by name."""
    return Policy(
        api_version="bayplan.dev/v1alpha1",
        kind="Policy",
        signals=Signals(resources={"cpu": CPU} if resources is None else dict(resources)),
        buoyancy=Buoyancy(filter_below=filter_below),
        eviction=Eviction(**({"mode": "enforce"} | eviction)),
    )


def make_replicas(
    workload: str = "web", *, nodes: Iterable[str] = ("n1", "n2", "n3"), **changes: Any
) -> tuple[Pod, ...]:
    """Return a pod of one workload on each node, `web-0` on the first."""
    pods = enumerate(nodes)
    return tuple(make_pod(f"{workload}-{at}", node=node, workload=workload, **changes) for at, node in pods)


def make_calm_cluster(**changes: Any) -> Cluster:
    """Return three nodes with one replica of `web` each."""
    return make_cluster([make_node(name) for name in ("n1", "n2", "n3")], make_replicas(), **changes)


def make_situation(cluster: Cluster | None = None, *, policy: Policy | None = None, **changes: Any) -> Situation:
    """Return the situation of an enforcing run, at its beginning."""
    defaults: dict[str, Any] = {
        "cluster": make_calm_cluster() if cluster is None else cluster,
        "policy": make_policy() if policy is None else policy,
        "observing": False,
    }
    return Situation(**(defaults | changes))


def make_candidate(pod: Pod | None = None, *, cpu: float | None = 0.2, **changes: Any) -> Candidate:
    """Return a pod as the buoyancy rule proposes it, `cpu` being its `R_i`; `web-0` on n1 by default."""
    pod = make_pod() if pod is None else pod
    defaults: dict[str, Any] = {
        "pod": pod,
        "node": pod.node or "",
        "rule": "buoyancy",
        "reason": f"{pod} takes most of cpu",
        "scores": {} if cpu is None else {"cpu": cpu},
    }
    return Candidate(**(defaults | changes))


def make_proposal(*pods: Pod, demand: float = 0.8, **changes: Any) -> Proposal:
    """Return the pods of a hot node as one proposal; `demand` is what each takes, in cores of a node of four."""
    candidates = tuple(make_candidate(pod, cpu=demand / 4) for pod in pods)
    node = pods[0].node if pods else None
    return Proposal(
        **({"rule": "buoyancy", "trouble": f"{node} is hot", "node": node, "candidates": candidates} | changes)
    )


def make_record(
    pod: str = "web-9", *, ago: float = 0.0, workload: str | None = "web", **changes: Any
) -> EvictionRecord:
    """Return an accepted eviction of a pod of the Deployment `web` from n1, `ago` seconds before now.

    `landing`, `replacement` (a pod's name), `landed_on` and `ready_ago` fill in what was seen of the replacement.
    """
    ready_ago, replacement = changes.pop("ready_ago", None), changes.pop("replacement", None)
    seen = Verification(
        landing=changes.pop("landing", Landing.PENDING),
        replacement=replacement,
        replacement_uid=None if replacement is None else f"uid-{replacement}",
        node=changes.pop("landed_on", None),
        ready_at=None if ready_ago is None else NOW - ready_ago,
        before=changes.pop("before", {}),
        after=changes.pop("after", {}),
    )
    defaults: dict[str, Any] = {
        "name": f"uid-{pod}",
        "pod_uid": f"uid-{pod}",
        "pod": f"default/{pod}",
        "namespace": "default",
        "node": "n1",
        "rule": "buoyancy",
        "reason": "hot",
        "at": NOW - ago,
        "state": RecordState.ACCEPTED,
        "workload": None if workload is None else WorkloadRef("Deployment", "default", workload),
        "verification": seen,
    }
    return EvictionRecord(**(defaults | changes))


def make_standing(node: str, demand: float, *, capacity: float = 4.0, **changes: Any) -> NodeStanding:
    """Return the standing of a fully measured node whose pods want `demand` cores of its capacity."""
    room = 1.0 - demand / capacity
    defaults: dict[str, Any] = {
        "node": node,
        "confidence": Confidence.FULL,
        "headroom": room,
        "filter_buoyancy": room,
        "score_buoyancy": room,
        "contested": "cpu",
        "scores": {"cpu": demand / capacity},
    }
    return NodeStanding(**(defaults | changes))


def make_standings(**demands: float) -> dict[str, NodeStanding]:
    """Return the standings of nodes of four cores by their demand: `n1=4.6, n2=1.0`."""
    return {node: make_standing(node, demand) for node, demand in demands.items()}


def chosen(outcomes: Iterable[Outcome]) -> list[tuple[str, str | None]]:
    """Return pod and destination of each victim."""
    victims = (outcome.victim for outcome in outcomes)
    return [(victim.candidate.pod.name, victim.destination) for victim in victims if victim is not None]


def refusals(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Return each refused pod with its refusal in words."""
    return {candidate.pod.name: str(refusal) for outcome in outcomes for candidate, refusal in outcome.refused}
