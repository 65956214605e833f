"""The cluster at one moment, as both services' decisions see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from policies.values.nodes import Node
from policies.values.pdbs import Pdb
from policies.values.pods import Pod
from policies.values.volumes import Claim, CsiDriver, CsiNode, StorageClass, Volume, VolumeAttachment
from policies.values.workloads import Workload, WorkloadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A snapshot. `now` is Unix seconds by the API server's clock.

    `pods` are keyed by UID, `nodes`, `csi_nodes` and the like by name, `claims` by `namespace/name`, `namespace_labels`
    by namespace.
    `workload_of` gives the workload of each pod that has a controller (by pod UID). `unreadable` names the kinds
    that could not be listed, with the cause: such a list is unknown, never empty, and what depends on it refuses.
    """

    now: float
    nodes: Mapping[str, Node] = field(default_factory=dict)
    pods: Mapping[str, Pod] = field(default_factory=dict)
    workloads: Mapping[WorkloadRef, Workload] = field(default_factory=dict)
    workload_of: Mapping[str, WorkloadRef] = field(default_factory=dict)
    pdbs: tuple[Pdb, ...] = ()
    claims: Mapping[str, Claim] = field(default_factory=dict)
    volumes: Mapping[str, Volume] = field(default_factory=dict)
    storage_classes: Mapping[str, StorageClass] = field(default_factory=dict)
    csi_nodes: Mapping[str, CsiNode] = field(default_factory=dict)
    csi_drivers: Mapping[str, CsiDriver] = field(default_factory=dict)
    volume_attachments: Mapping[str, VolumeAttachment] = field(default_factory=dict)
    namespace_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
