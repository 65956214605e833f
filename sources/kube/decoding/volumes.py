"""PersistentVolumeClaims, PersistentVolumes and StorageClasses; judges nothing."""

from collections.abc import Mapping
from typing import Any, Final

from policies.values.selectors import NodeSelectorTerm, Operator
from policies.values.volumes import Claim, StorageClass, Volume
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
    return Volume(
        name=raw["metadata"]["name"],
        node_terms=terms,
        driver=word_or_none((spec.get("csi") or {}).get("driver")),
        local="local" in spec or "hostPath" in spec or _names_one_node(terms),
    )


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
    )
