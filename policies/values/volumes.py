"""Volumes as far as the feasibility of a destination needs them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from policies.values.selectors import NodeSelectorTerm

# What nodes of an older Kubernetes declare for a CSI driver's volumes: this and the driver's name.
ATTACHMENTS: Final = "attachable-volumes-csi-"
_SHARED: Final = frozenset({"ReadWriteMany", "ReadOnlyMany"})


@dataclass(frozen=True, slots=True)
class Attachment:
    """A volume that a driver has to attach; `volume` tells it apart from the driver's others."""

    driver: str
    volume: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A PersistentVolumeClaim; `volume` is None while it is unbound."""

    namespace: str
    name: str
    volume: str | None = None
    storage_class: str | None = None
    access_modes: frozenset[str] = frozenset()

    @property
    def shared(self) -> bool:
        """Whether pods on several nodes may use it at once."""
        return bool(self.access_modes & _SHARED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """A PersistentVolume. `node_terms` None means that it can be reached from every node.

    `driver` is its CSI driver, None where it has none; of an in-tree volume the one that Kubernetes migrated it to.
    `handle` is what the driver calls it, empty where that is not said: two volumes with one handle are one disk.
    `local` is true for `local` and `hostPath` volumes, and for any volume whose terms name a single node by
    `kubernetes.io/hostname` or by `metadata.name`: its pod can run nowhere else.
    """

    name: str
    node_terms: tuple[NodeSelectorTerm, ...] | None = None
    driver: str | None = None
    handle: str = ""
    local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageClass:
    """A StorageClass; `allowed_topologies` None means every node. `driver` provisions its volumes."""

    name: str
    waits_for_first_consumer: bool = False
    allowed_topologies: tuple[NodeSelectorTerm, ...] | None = None
    driver: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CsiNode:
    """What the CSI drivers of a node say of it: that they are there, how many volumes of each can be attached.

    A driver that gives no number is not in `attachable`: no limit is known then, which is not a limit of 0.
    """

    name: str
    attachable: Mapping[str, int] = field(default_factory=dict)
    drivers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class CsiDriver:
    """A CSIDriver. Where it is `needed`, no pod with its volumes is to go to a node where it is not registered."""

    name: str
    needed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeAttachment:
    """A PersistentVolume that a driver attached to a node, or is attaching or detaching there."""

    name: str
    node: str
    driver: str
    volume: str
