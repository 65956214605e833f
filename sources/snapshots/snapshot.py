"""What a saved snapshot holds, and the document it is saved as; reads no file.

A JSON object has no keys but texts, so everything that a cluster keys by something is a list in the document.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from pydantic import ConfigDict, TypeAdapter

from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pdbs import Pdb
from policies.values.pods import Constraints, Pod
from policies.values.records import EvictionRecord
from policies.values.standings import NodeStanding
from policies.values.volumes import Claim, CsiDriver, CsiNode, StorageClass, Volume, VolumeAttachment
from policies.values.workloads import Workload, WorkloadRef

VERSION: Final = 1
Use = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A cluster, the whole ledger, how nodes stand, and what pods use by resource and UID (cores or base units)."""

    cluster: Cluster
    records: tuple[EvictionRecord, ...] = ()
    standings: Mapping[str, NodeStanding] = field(default_factory=dict)
    use: Use = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The JSON object, member by member. `now` is Unix seconds by the API server's clock."""

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)  # passed on to everything inside

    kind: Literal["Snapshot"]
    version: Literal[1]
    now: float
    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    workloads: tuple[Workload, ...] = ()
    workload_of: Mapping[str, WorkloadRef] = field(default_factory=dict)
    pdbs: tuple[Pdb, ...] = ()
    claims: tuple[Claim, ...] = ()
    volumes: tuple[Volume, ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    csi_nodes: tuple[CsiNode, ...] = ()
    csi_drivers: tuple[CsiDriver, ...] = ()
    volume_attachments: tuple[VolumeAttachment, ...] = ()
    namespace_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    records: tuple[EvictionRecord, ...] = ()
    standings: tuple[NodeStanding, ...] = ()
    use: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


ADAPTER: Final = TypeAdapter(Document)


def document(snapshot: Snapshot) -> Document:
    """Return the document of a snapshot."""
    cluster = snapshot.cluster
    return Document(
        kind="Snapshot",
        version=VERSION,
        now=cluster.now,
        nodes=tuple(cluster.nodes.values()),
        pods=tuple(cluster.pods.values()),
        workloads=tuple(cluster.workloads.values()),
        workload_of=cluster.workload_of,
        pdbs=cluster.pdbs,
        claims=tuple(cluster.claims.values()),
        volumes=tuple(cluster.volumes.values()),
        storage_classes=tuple(cluster.storage_classes.values()),
        csi_nodes=tuple(cluster.csi_nodes.values()),
        csi_drivers=tuple(cluster.csi_drivers.values()),
        volume_attachments=tuple(cluster.volume_attachments.values()),
        namespace_labels=cluster.namespace_labels,
        unreadable=cluster.unreadable,
        records=snapshot.records,
        standings=tuple(snapshot.standings.values()),
        use=snapshot.use,
    )


def snapshot_of(saved: Document) -> Snapshot:
    """Return the snapshot of a document; equal constraints become one object, as they are in a live cluster."""
    shared: dict[Constraints, Constraints] = {}
    pods = (replace(pod, constraints=shared.setdefault(pod.constraints, pod.constraints)) for pod in saved.pods)
    cluster = Cluster(
        now=saved.now,
        nodes={node.name: node for node in saved.nodes},
        pods={pod.uid: pod for pod in pods},
        workloads={workload.ref: workload for workload in saved.workloads},
        workload_of=saved.workload_of,
        pdbs=saved.pdbs,
        claims={f"{claim.namespace}/{claim.name}": claim for claim in saved.claims},
        volumes={volume.name: volume for volume in saved.volumes},
        storage_classes={storage.name: storage for storage in saved.storage_classes},
        csi_nodes={node.name: node for node in saved.csi_nodes},
        csi_drivers={driver.name: driver for driver in saved.csi_drivers},
        volume_attachments={each.name: each for each in saved.volume_attachments},
        namespace_labels=saved.namespace_labels,
        unreadable=saved.unreadable,
    )
    standings = {standing.node: standing for standing in saved.standings}
    return Snapshot(cluster=cluster, records=saved.records, standings=standings, use=saved.use)
