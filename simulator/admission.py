"""What the API server fills in on creation, as far as Bayplan reads it; refuses nothing."""

from simulator.jsons import Raw
from simulator.kinds import KINDS, Kind
from simulator.store import Store

_PRIORITY_CLASSES = next(kind for kind in KINDS if kind.plural == "priorityclasses")
_POD_DEFAULTS: Raw = {
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
    "restartPolicy": "Always",
}
_BUILT_IN_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def admit(kind: Kind, raw: Raw, store: Store) -> Raw:
    """Return a new object with defaults: a pod's scheduler, grace period, priority, and phase Pending."""
    if kind.plural != "pods" or kind.group:
        return raw
    spec = _POD_DEFAULTS | (raw.get("spec") or {})
    spec["priority"] = _priority(spec.get("priorityClassName"), store)
    return raw | {"spec": spec, "status": {"phase": "Pending", "qosClass": "Burstable"}}


def _priority(name: str | None, store: Store) -> int:
    if name in _BUILT_IN_PRIORITIES:
        return _BUILT_IN_PRIORITIES[name]
    for entry in store.all(_PRIORITY_CLASSES):
        if entry["metadata"]["name"] == name or (name is None and entry.get("globalDefault")):
            return int(entry["value"])
    return 0
