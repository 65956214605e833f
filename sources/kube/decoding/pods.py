"""Pods: whole for the descheduler, lean for the extender, which keeps 150,000 of them; judges nothing."""

from collections.abc import Mapping
from typing import Any, Final

from policies.values.pods import Owner, Phase, Pod
from sources.kube.decoding.constraints import pod_constraints, repelling_constraints
from sources.kube.decoding.migrated import disk_of
from sources.kube.decoding.requests import pod_requests
from sources.kube.decoding.sharing import Shared, labels_of, word, word_or_none
from sources.kube.decoding.times import unix_seconds, unix_seconds_or_none

_Raw = Mapping[str, Any]
_MIRROR: Final = "kubernetes.io/config.mirror"
_CONFIG_SOURCE: Final = "kubernetes.io/config.source"  # where a kubelet got a pod from: api, or file and http (static)
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"  # the whole object once more: memory for nothing
_GATED: Final = "SchedulingGated"
_DEFAULT_GRACE: Final = 30
_NO_ANNOTATIONS: Final[dict[str, str]] = {}


def decode_pod(raw: _Raw) -> Pod:
    """Read a pod with everything that some rule looks at.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    metadata, spec = raw["metadata"], raw["spec"]
    namespace, labels = word(metadata["namespace"]), labels_of(metadata.get("labels"))
    annotations = metadata.get("annotations") or _NO_ANNOTATIONS
    volumes = spec.get("volumes") or ()
    return Pod(
        annotations=_kept(annotations),
        gated=bool(spec.get("schedulingGates")),
        static=_is_static(annotations, metadata),
        grace_seconds=float(_grace(metadata, spec)),
        constraints=pod_constraints(spec, namespace=namespace, labels=labels),
        local_storage=tuple(one["name"] for one in volumes if "emptyDir" in one or "hostPath" in one),
        claims=tuple(claim for one in volumes if (claim := _claim(one, metadata["name"])) is not None),
        disks=tuple(disk for one in volumes if (disk := disk_of(one)) is not None),
        **_common(raw, namespace, labels),
    )


def decode_lean_pod(raw: _Raw) -> Pod:
    """Read a pod without what no verdict of the extender needs: annotations, volumes, most constraints.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    metadata = raw["metadata"]
    namespace = word(metadata["namespace"])
    constraints = repelling_constraints(raw["spec"], namespace=namespace)
    return Pod(constraints=constraints, **_common(raw, namespace, labels_of(metadata.get("labels"))))


def _common(raw: _Raw, namespace: str, labels: dict[str, str]) -> dict[str, Any]:
    metadata, spec, status = raw["metadata"], raw["spec"], raw.get("status") or {}
    conditions = {one["type"]: one for one in status.get("conditions") or ()}
    scheduled, ready = conditions.get("PodScheduled"), conditions.get("Ready")
    node, created = word_or_none(spec.get("nodeName")), unix_seconds(metadata["creationTimestamp"])
    bound = _since(scheduled, "True") if node else None
    # What the kubelet stamped is by its node's clock: one that is behind must not make a pod older than it can be.
    earliest = max(created, bound or created)
    return {
        "namespace": namespace,
        "name": metadata["name"],
        "uid": metadata["uid"],
        "labels": labels,
        "owner": controller_of(metadata),
        "node": node,
        "nominated_node": word_or_none(status.get("nominatedNodeName")),
        "scheduler_name": word(spec.get("schedulerName") or "default-scheduler"),
        "phase": Phase(status.get("phase") or Phase.PENDING),
        "ready": ready is not None and ready.get("status") == "True",
        "created_at": created,
        "bound_at": bound,
        "started_at": _not_before(earliest, unix_seconds_or_none(status.get("startTime"))),
        "ready_since": _not_before(earliest, _since(ready, "True")),
        "unscheduled": _words(scheduled),
        "unschedulable_since": None if _waits_for_gates(scheduled) else _since(scheduled, "False"),
        "terminating": metadata.get("deletionTimestamp") is not None,
        "priority": int(spec.get("priority") or 0),
        "priority_class": word(spec.get("priorityClassName") or ""),
        "requests": pod_requests(spec, status),
    }


def controller_of(metadata: _Raw) -> Owner | None:
    """Return the owner that controls an object, one value for all that it owns.

    Raises:
        KeyError, TypeError, AttributeError: a reference is malformed.
    """
    for one in metadata.get("ownerReferences") or ():
        if one.get("controller"):
            return _OWNERS.of(one["kind"], one["name"], one.get("uid") or "")
    return None


_OWNERS: Final = Shared(Owner)


def _since(condition: _Raw | None, status: str) -> float | None:
    if condition is None or condition.get("status") != status:
        return None
    return unix_seconds_or_none(condition.get("lastTransitionTime"))


def _words(scheduled: _Raw | None) -> str:
    if scheduled is None or scheduled.get("status") == "True":
        return ""
    return f"{scheduled.get('reason') or ''}: {scheduled.get('message') or ''}"


def _not_before(earliest: float, at: float | None) -> float | None:
    return None if at is None else max(earliest, at)


def _waits_for_gates(scheduled: _Raw | None) -> bool:
    return scheduled is not None and scheduled.get("reason") == _GATED


def _kept(annotations: dict[str, str]) -> dict[str, str]:
    if _APPLIED not in annotations:
        return annotations
    return {key: value for key, value in annotations.items() if key != _APPLIED}


def _is_static(annotations: _Raw, metadata: _Raw) -> bool:
    if _MIRROR in annotations or annotations.get(_CONFIG_SOURCE, "api") != "api":
        return True
    return any(one.get("kind") == "Node" for one in metadata.get("ownerReferences") or ())


def _grace(metadata: _Raw, spec: _Raw) -> float:
    for seconds in (metadata.get("deletionGracePeriodSeconds"), spec.get("terminationGracePeriodSeconds")):
        if seconds is not None:
            return float(seconds)
    return _DEFAULT_GRACE


def _claim(volume: _Raw, pod: str) -> str | None:
    """Return the claim behind a volume; that of an ephemeral volume is named `<pod>-<volume>` by its controller."""
    if "persistentVolumeClaim" in volume:
        return str(volume["persistentVolumeClaim"]["claimName"])
    return f"{pod}-{volume['name']}" if "ephemeral" in volume else None
