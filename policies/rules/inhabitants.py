"""The pods that stand on nodes and run, indexed the ways the rules ask for them; no rail leaves anybody out here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.workloads import WorkloadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Inhabitants:
    """Pods by node and by `namespace/name`, and each one's workload by UID."""

    by_node: Mapping[str, tuple[Pod, ...]]
    by_name: Mapping[str, Pod]
    workload_of: Mapping[str, WorkloadRef]

    @staticmethod
    def of(cluster: Cluster) -> "Inhabitants":
        """Return the inhabitants of a cluster; pods that have ended take nothing any more and are left out."""
        live = [pod for pod in cluster.pods.values() if pod.node is not None and not pod.ended]
        by_node: dict[str, list[Pod]] = {}
        for pod in live:
            by_node.setdefault(pod.node or "", []).append(pod)
        return Inhabitants(
            by_node={node: tuple(pods) for node, pods in by_node.items()},
            by_name={f"{pod.namespace}/{pod.name}": pod for pod in live},
            workload_of=cluster.workload_of,
        )

    def __iter__(self) -> Iterator[Pod]:
        return iter(self.by_name.values())

    def on(self, node: str) -> tuple[Pod, ...]:
        """Return the pods of a node."""
        return self.by_node.get(node, ())

    def workload(self, pod: Pod) -> WorkloadRef | None:
        """Return the workload of a pod, None for a bare one."""
        return self.workload_of.get(pod.uid)
