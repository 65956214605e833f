"""The pods that stand on nodes and run, indexed the ways the rules ask for them; no rail leaves anybody out here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from policies.model.slos import Slo
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.workloads import WorkloadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Inhabitants:
    """Pods by node, each in the cluster's order, and each one's workload by UID."""

    by_node: Mapping[str, tuple[Pod, ...]]
    workload_of: Mapping[str, WorkloadRef]

    @staticmethod
    def of(cluster: Cluster) -> "Inhabitants":
        """Return the inhabitants of a cluster; pods that have ended take nothing any more and are left out."""
        by_node: dict[str, list[Pod]] = {}
        for pod in cluster.pods.values():
            if pod.node is not None and not pod.ended:
                by_node.setdefault(pod.node, []).append(pod)
        found = {node: tuple(pods) for node, pods in by_node.items()}
        return Inhabitants(by_node=found, workload_of=cluster.workload_of)

    def __iter__(self) -> Iterator[Pod]:
        return (pod for pods in self.by_node.values() for pod in pods)

    def on(self, node: str) -> tuple[Pod, ...]:
        """Return the pods of a node."""
        return self.by_node.get(node, ())

    def workload(self, pod: Pod) -> WorkloadRef | None:
        """Return the workload of a pod, None for a bare one."""
        return self.workload_of.get(pod.uid)

    def under(self, slo: Slo, *, in_scope: frozenset[str]) -> tuple[Pod, ...]:
        """Return the pods that an objective is about: its namespaces (or those in scope) and its selector."""
        selector = slo.selector.compiled()
        namespaces = frozenset(slo.namespaces) or in_scope
        return tuple(pod for pod in self if pod.namespace in namespaces and selector.matches(pod.labels))
