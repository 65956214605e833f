"""The pod of a request, as far as placement reads it: a `Pod` with its other fields at their defaults.

Every field is optional and of any type here: a pod that does not say something is one that does not have it.
"""

from collections.abc import Mapping
from typing import Any, Final

from policies.values.pods import Owner, Pod
from sources.kube.decoding.times import unix_seconds

_NOTHING: Final[Mapping[str, Any]] = {}


def read_pod(raw: object) -> Pod | None:
    """Read the pod that is to be placed; None where there is no namespace and name to know it by."""
    metadata, spec, status = part(raw, "metadata"), part(raw, "spec"), part(raw, "status")
    namespace, name = text(metadata.get("namespace")), text(metadata.get("name"))
    if not namespace or not name:
        return None
    priority = spec.get("priority")
    return Pod(
        namespace=namespace,
        name=name,
        uid=text(metadata.get("uid")),
        labels=_labels(metadata.get("labels")),
        owner=_owner(metadata.get("ownerReferences")),
        nominated_node=text(status.get("nominatedNodeName")) or None,
        scheduler_name=text(spec.get("schedulerName")) or "default-scheduler",
        priority=priority if type(priority) is int else 0,
        priority_class=text(spec.get("priorityClassName")),
        unschedulable_since=_unschedulable_since(status.get("conditions")),
    )


def part(raw: object, key: str) -> Mapping[str, Any]:
    """Return an object's object, an empty one where there is none."""
    inner = raw.get(key) if isinstance(raw, dict) else None
    return inner if isinstance(inner, dict) else _NOTHING


def text(value: object) -> str:
    """Return a string, an empty one where there is none."""
    return value if isinstance(value, str) else ""


def _labels(raw: object) -> Mapping[str, str]:
    return {k: v for k, v in raw.items() if isinstance(v, str)} if isinstance(raw, dict) else {}


def _owner(references: object) -> Owner | None:
    for reference in references if isinstance(references, list) else ():
        if isinstance(reference, dict) and reference.get("controller") is True:
            return Owner(text(reference.get("kind")), text(reference.get("name")), text(reference.get("uid")))
    return None


def _unschedulable_since(conditions: object) -> float | None:
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == "PodScheduled":
            return _unix(condition.get("lastTransitionTime")) if condition.get("status") == "False" else None
    return None


def _unix(stamp: object) -> float | None:
    try:
        return unix_seconds(text(stamp))
    except (ValueError, OverflowError):
        return None
