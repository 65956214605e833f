"""Raw API objects for tests: what the API server would send, changed by path (`spec.nodeName`)."""

import copy
from typing import Any

CREATED = "2027-01-15T08:00:00Z"  # tests.builders.NOW


def changed(raw: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a copy with fields set by path, dots written as two underscores; None takes a field away."""
    raw = copy.deepcopy(raw)
    for path, value in changes.items():
        *parents, leaf = path.split("__")
        at = raw
        for parent in parents:
            at = at.setdefault(parent, {})
        if value is None:
            at.pop(leaf, None)
        else:
            at[leaf] = value
    return raw


def raw_pod(name: str = "web-0", **changes: Any) -> dict[str, Any]:
    """Return a Running, Ready pod of a ReplicaSet on n1."""
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2027-01-15T07:00:03Z"}
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2027-01-15T07:00:01Z"}
    pod = {
        "metadata": {
            "namespace": "shop",
            "name": name,
            "uid": f"uid-{name}",
            "resourceVersion": "10",
            "creationTimestamp": "2027-01-15T07:00:00Z",
            "labels": {"app": "web"},
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-rs", "uid": "uid-rs", "controller": True}
            ],
        },
        "spec": {
            "nodeName": "n1",
            "schedulerName": "bayplan-scheduler",
            "priority": 5,
            "priorityClassName": "normal",
            "terminationGracePeriodSeconds": 20,
            "containers": [{"name": "main", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}],
        },
        "status": {"phase": "Running", "startTime": "2027-01-15T07:00:02Z", "conditions": [ready, scheduled]},
    }
    return changed(pod, **changes)


def raw_node(name: str = "n1", **changes: Any) -> dict[str, Any]:
    """Return a Ready node."""
    node = {
        "metadata": {"name": name, "uid": f"uid-{name}", "creationTimestamp": CREATED, "labels": {"zone": "a"}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "addresses": [{"type": "InternalIP", "address": "10.0.0.5"}, {"type": "Hostname", "address": name}],
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
    return changed(node, **changes)


def raw_owned(kind: str, name: str, *, owner: tuple[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    """Return a controller at rest with 3 replicas in namespace shop."""
    status = {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 3}
    metadata: dict[str, Any] = {"namespace": "shop", "name": name, "uid": f"uid-{name}", "generation": 2}
    if owner is not None:
        kind_of_owner, name_of_owner = owner
        reference = {"kind": kind_of_owner, "name": name_of_owner, "uid": f"uid-{name_of_owner}", "controller": True}
        metadata["ownerReferences"] = [reference]
    return changed({"kind": kind, "metadata": metadata, "spec": {"replicas": 3}, "status": status}, **changes)
