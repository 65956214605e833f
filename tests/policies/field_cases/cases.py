"""Set-ups as the field cases word them, and what a cycle decides on them.

Nodes are as in `tests.builders`; every workload has two more Ready replicas on the tainted node `rest`, so that the
floor does not decide unless the case is about it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from policies.checking import choose
from policies.model.limits import CoolDown, Limit
from policies.model.policy import Policy
from policies.values.candidates import Outcome, Proposal
from policies.values.clusters import Cluster
from policies.values.nodes import Node, Taint
from policies.values.pods import Pod
from policies.values.standings import NodeStanding
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.situations import make_candidate, make_policy, make_situation, make_standing

REST = make_node("rest", taints=(Taint("case/rest", "", "NoSchedule"),))
FREE = make_policy(
    limits=(Limit(scope="cluster", max=1000, window=600.0),), victims_per_node=1000, cool_down=CoolDown(initial=0.0)
)
_CLUSTER = frozenset({"now", "workloads", "pdbs", "claims", "volumes", "storage_classes", "csi_nodes", "unreadable"})


@dataclass(frozen=True, slots=True)
class Case:
    """Who demands how many cores on which node; `ds` is load that cannot move.

    `nodes` and `pods` change what is not as usual: whole nodes, and fields of pods by name. `replicas` is how many
    further ones of each workload stand on `rest`.
    """

    demand: Mapping[str, Mapping[str, float]]
    nodes: tuple[Node, ...] = ()
    pods: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    replicas: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A case as values: the cluster, how its nodes stand, and one proposal a hot node, the largest demand first."""

    cluster: Cluster
    standings: Mapping[str, NodeStanding]
    proposals: tuple[Proposal, ...]

    @property
    def hot(self) -> frozenset[str]:
        """The nodes in trouble."""
        return frozenset(proposal.node for proposal in self.proposals if proposal.node is not None)

    @property
    def pods(self) -> Mapping[str, Pod]:
        """All pods by name."""
        return {pod.name: pod for pod in self.cluster.pods.values()}


def run(case: Case, *, policy: Policy | None = None, times: int = 1, **changes: Any) -> tuple[Outcome, ...]:
    """Return what a cycle decides; `times` proposes each hot node several times, as several rules would."""
    stage = staged(case, **{key: changes.pop(key) for key in list(changes) if key in _CLUSTER})
    situation = make_situation(stage.cluster, policy=policy, **changes)
    return choose(stage.proposals * times, situation, stage.standings, stage.hot)


def staged(case: Case, **cluster: Any) -> Stage:
    """Return a case as values; fields of the cluster by name."""
    nodes = {name: make_node(name) for name in case.demand} | {node.name: node for node in (*case.nodes, REST)}
    pods = _pods(case)
    standings = {node.name: _standing(case, node) for node in nodes.values()}
    workloads = cluster.pop("workloads", ())
    return Stage(
        cluster=make_cluster(nodes.values(), [*pods.values(), *_others(case)], workloads, **cluster),
        standings=standings,
        proposals=tuple(
            _proposal(case, node, nodes[node], pods) for node in case.demand if (standings[node].headroom or 0.0) < 0
        ),
    )


def _workload_of(pod: str) -> str:
    return pod.rpartition("-")[0]


def _movable(case: Case) -> Iterable[tuple[str, str]]:
    return ((node, name) for node, demands in case.demand.items() for name in demands if name != "ds")


def _pods(case: Case) -> dict[str, Pod]:
    return {
        name: make_pod(name, node=node, workload=_workload_of(name), **case.pods.get(name, {}))
        for node, name in _movable(case)
    }


def _others(case: Case) -> list[Pod]:
    workloads = dict.fromkeys(_workload_of(name) for _, name in _movable(case))
    numbers = range(case.replicas)
    return [make_pod(f"{name}-rest{at}", node="rest", workload=name) for name in workloads for at in numbers]


def _standing(case: Case, node: Node) -> NodeStanding:
    return make_standing(node.name, sum(case.demand.get(node.name, {}).values()), capacity=_cores(node))


def _cores(node: Node) -> float:
    return node.allocatable["cpu"] / 1000


def _proposal(case: Case, name: str, node: Node, pods: Mapping[str, Pod]) -> Proposal:
    demands = case.demand[name]
    order = sorted((pod for pod in demands if pod != "ds"), key=lambda pod: (-demands[pod], pod))
    candidates = tuple(make_candidate(pods[pod], cpu=demands[pod] / _cores(node)) for pod in order)
    return Proposal(rule="buoyancy", trouble=f"{name} is hot", node=name, candidates=candidates)
