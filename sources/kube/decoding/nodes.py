"""Nodes; judges nothing."""

from collections.abc import Mapping
from typing import Any

from policies.values.nodes import Node, Taint
from sources.kube.decoding.amounts import resources
from sources.kube.decoding.sharing import labels_of, word
from sources.kube.decoding.times import unix_seconds

_Raw = Mapping[str, Any]


def decode_node(raw: _Raw) -> Node:
    """Read a node.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    metadata, spec, status = raw["metadata"], raw.get("spec") or {}, raw.get("status") or {}
    return Node(
        name=word(metadata["name"]),
        uid=metadata.get("uid") or "",
        labels=labels_of(metadata.get("labels")),
        annotations=metadata.get("annotations") or {},
        addresses=tuple(dict.fromkeys(one["address"] for one in status.get("addresses") or ())),
        taints=tuple(Taint(one["key"], one.get("value") or "", one["effect"]) for one in spec.get("taints") or ()),
        allocatable=resources(status.get("allocatable")),
        cordoned=bool(spec.get("unschedulable")),
        ready=any(one.get("type") == "Ready" and one.get("status") == "True" for one in status.get("conditions") or ()),
        terminating=metadata.get("deletionTimestamp") is not None,
        created_at=unix_seconds(metadata["creationTimestamp"]),
    )
