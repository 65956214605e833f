"""Claims, PersistentVolumes, StorageClasses, CSINodes, CSIDrivers and VolumeAttachments; judges nothing."""

from collections.abc import Mapping
from typing import Any, Final

from policies.values.selectors import NodeSelectorTerm, Operator
from policies.values.volumes import Attachment, Claim, CsiDriver, CsiNode, StorageClass, Volume, VolumeAttachment
from sources.kube.decoding.migrated import disk_of, driver_of
from sources.kube.decoding.selectors import node_terms, topology_terms
from sources.kube.decoding.sharing import word, word_or_none

_Raw = Mapping[str, Any]
_HOST_NAME: Final = "kubernetes.io/hostname"


def decode_claim(raw: _Raw) -> Claim:
    """Read a claim.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    metadata, spec = raw["metadata"], raw.get("spec") or {}
    return Claim(
        namespace=word(metadata["namespace"]),
        name=metadata["name"],
        volume=spec.get("volumeName") or None,
        storage_class=word_or_none(spec.get("storageClassName")),
        access_modes=frozenset(map(word, spec.get("accessModes") or ())),
    )


def decode_volume(raw: _Raw) -> Volume:
    """Read a volume.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    spec = raw["spec"]
    terms = node_terms((spec.get("nodeAffinity") or {}).get("required"))
    disk = _attached(spec)
    return Volume(
        name=raw["metadata"]["name"],
        node_terms=terms,
        driver=None if disk is None else word_or_none(disk.driver),
        handle="" if disk is None else disk.volume,
        local="local" in spec or "hostPath" in spec or _names_one_node(terms),
    )


def _attached(spec: _Raw) -> Attachment | None:
    csi = spec.get("csi")
    return disk_of(spec) if csi is None else Attachment(csi["driver"], csi.get("volumeHandle") or "")


def _names_one_node(terms: tuple[NodeSelectorTerm, ...] | None) -> bool:
    return bool(terms) and all(_is_one_node(term) for term in terms or ())


def _is_one_node(term: NodeSelectorTerm) -> bool:
    named = [one for one in term.expressions if one.key == _HOST_NAME]
    named += [one for one in term.fields if one.key == "metadata.name"]
    return any(one.operator is Operator.IN and len(one.values) == 1 for one in named)


def decode_storage_class(raw: _Raw) -> StorageClass:
    """Read a storage class.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    return StorageClass(
        name=word(raw["metadata"]["name"]),
        waits_for_first_consumer=raw.get("volumeBindingMode") == "WaitForFirstConsumer",
        allowed_topologies=topology_terms(raw.get("allowedTopologies")),
        driver=driver_of(raw.get("provisioner")),
    )


def decode_csi_node(raw: _Raw) -> CsiNode:
    """Read which drivers a node has and how many volumes they can attach; one that gives no number is left out there.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    drivers = (raw.get("spec") or {}).get("drivers") or ()
    counts = {word(one["name"]): (one.get("allocatable") or {}).get("count") for one in drivers}
    return CsiNode(
        name=word(raw["metadata"]["name"]),
        attachable={driver: int(count) for driver, count in counts.items() if count is not None},
        drivers=frozenset(counts),
    )


def decode_csi_driver(raw: _Raw) -> CsiDriver:
    """Read whether a driver must be on a node before pods with its volumes go there.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    needed = (raw.get("spec") or {}).get("preventPodSchedulingIfMissing")
    return CsiDriver(name=word(raw["metadata"]["name"]), needed=bool(needed))


def decode_volume_attachment(raw: _Raw) -> VolumeAttachment:
    """Read what is attached where; `volume` is empty for one of a pod's own, which nobody counts.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    spec = raw["spec"]
    return VolumeAttachment(
        name=raw["metadata"]["name"],
        node=word(spec["nodeName"]),
        driver=word(spec["attacher"]),
        volume=spec["source"].get("persistentVolumeName") or "",
    )
