"""Volumes as far as the feasibility of a destination needs them."""

from dataclasses import dataclass
from typing import Final

from policies.values.selectors import NodeSelectorTerm

# What a node declares for a CSI driver's volumes, where it declares it: this and the driver's name.
ATTACHMENTS: Final = "attachable-volumes-csi-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A PersistentVolumeClaim; `volume` is None while it is unbound."""

    namespace: str
    name: str
    volume: str | None = None
    storage_class: str | None = None
    access_modes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """A PersistentVolume. `node_terms` None means that it can be reached from every node.

    `local` is true for `local` and `hostPath` volumes, and for any volume whose terms name a single node by
    `kubernetes.io/hostname` or by `metadata.name`: its pod can run nowhere else.
    """

    name: str
    node_terms: tuple[NodeSelectorTerm, ...] | None = None
    driver: str | None = None
    local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageClass:
    """A StorageClass; `allowed_topologies` None means every node."""

    name: str
    waits_for_first_consumer: bool = False
    allowed_topologies: tuple[NodeSelectorTerm, ...] | None = None
