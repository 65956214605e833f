"""A cluster and its ledger, indexed on first use; answers questions, decides nothing."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from policies.feasibility.node_state import why_unusable
from policies.values.clusters import Cluster
from policies.values.pdbs import Pdb
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from policies.values.selectors import Label
from policies.values.workloads import WorkloadRef

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


class View:
    """Indexes over one snapshot. A cycle has few candidates, so each index is built when somebody asks for it."""

    def __init__(self, cluster: Cluster, records: tuple[EvictionRecord, ...]) -> None:
        self.cluster = cluster
        self.records = records

    def shows(self, cluster: Cluster, records: tuple[EvictionRecord, ...]) -> bool:
        """Tell whether this is the view of these very objects, so that it may be shared instead of built again."""
        return self.cluster is cluster and self.records is records

    @cached_property
    def pods_of(self) -> Mapping[WorkloadRef | None, tuple[Pod, ...]]:
        """The live pods of each workload; pods without a controller under None."""
        refs = self.cluster.workload_of
        return _grouped((pod for pod in self.cluster.pods.values() if not pod.ended), lambda pod: refs.get(pod.uid))

    @cached_property
    def ready_of(self) -> Mapping[WorkloadRef | None, frozenset[str]]:
        """The UIDs of each workload's pods that are Ready and not terminating."""
        return {
            ref: frozenset(pod.uid for pod in pods if pod.ready and not pod.terminating)
            for ref, pods in self.pods_of.items()
        }

    @cached_property
    def unready_of(self) -> Mapping[WorkloadRef | None, tuple[Pod, ...]]:
        """The live pods of each workload that are neither Ready nor terminating."""
        unready = (pod for pods in self.pods_of.values() for pod in pods if not pod.ready and not pod.terminating)
        return _grouped(unready, lambda pod: self.cluster.workload_of.get(pod.uid))

    @cached_property
    def pods_on(self) -> Mapping[str | None, tuple[Pod, ...]]:
        """The pods that take room on each node: the bound ones, and the nominated ones as if they were bound."""
        return _grouped((_settled(pod) for pod in self.cluster.pods.values() if not pod.ended), lambda pod: pod.node)

    @cached_property
    def users_of(self) -> Mapping[str, tuple[Pod, ...]]:
        """The live pods that use each claim, by `namespace/name`."""
        pods = (pod for pod in self.cluster.pods.values() if not pod.ended)
        used = ((f"{pod.namespace}/{claim}", pod) for pod in pods for claim in pod.claims)
        return {claim: tuple(pod for _, pod in uses) for claim, uses in _grouped(used, lambda use: use[0]).items()}

    @cached_property
    def unusable(self) -> Mapping[str, str]:
        """The nodes that take no pods and are left in peace, each with the reason."""
        reasons = ((node.name, why_unusable(node)) for node in self.cluster.nodes.values())
        return {name: why for name, why in reasons if why is not None}

    def pdbs_of(self, pod: Pod) -> list[Pdb]:
        """Return every PDB that selects a pod; asks only those that need a label it has, or none."""
        asked = (pdb for label in (None, *pod.labels.items()) for pdb in self._pdbs.get((pod.namespace, label), ()))
        return [pdb for pdb in asked if pdb.selector is not None and pdb.selector.matches(pod.labels)]

    @cached_property
    def _pdbs(self) -> Mapping[tuple[str, Label | None], tuple[Pdb, ...]]:
        """The PDBs of each namespace by the labels of which they need one."""
        needed = (
            ((pdb.namespace, label), pdb)
            for pdb in self.cluster.pdbs
            if pdb.selector is not None
            for label in pdb.selector.needed() or (None,)
        )
        return {key: tuple(pdb for _, pdb in pairs) for key, pairs in _grouped(needed, lambda pair: pair[0]).items()}

    @cached_property
    def ledger(self) -> tuple[EvictionRecord, ...]:
        """All records, oldest first."""
        return tuple(sorted(self.records, key=lambda record: (record.at, record.name)))

    @cached_property
    def records_of(self) -> Mapping[WorkloadRef | None, tuple[EvictionRecord, ...]]:
        """The records of each workload, oldest first."""
        return _grouped(self.ledger, lambda record: record.workload)

    @cached_property
    def records_in(self) -> Mapping[str, tuple[EvictionRecord, ...]]:
        """The records of each namespace, oldest first."""
        return _grouped(self.ledger, lambda record: record.namespace)

    @cached_property
    def records_on(self) -> Mapping[str, tuple[EvictionRecord, ...]]:
        """The records of each source node, oldest first."""
        return _grouped(self.ledger, lambda record: record.node)

    @cached_property
    def records_of_pod(self) -> Mapping[str, tuple[EvictionRecord, ...]]:
        """The records of each pod UID, oldest first."""
        return _grouped(self.ledger, lambda record: record.pod_uid)

    @cached_property
    def record_that_made(self) -> Mapping[str, EvictionRecord]:
        """The record whose eviction led to this pod (by UID of the replacement)."""
        made = {record.verification.replacement_uid: record for record in self.ledger}
        return {uid: record for uid, record in made.items() if uid is not None}


def _settled(pod: Pod) -> Pod:
    """Return a pod that kube-scheduler made room for as standing there already."""
    return pod if pod.node is not None or pod.nominated_node is None else replace(pod, node=pod.nominated_node)


def _grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, tuple[Item, ...]]:
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return {name: tuple(members) for name, members in groups.items()}
