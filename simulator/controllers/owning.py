"""Who owns whom: controller references in both directions; writes nothing."""

from collections.abc import Iterable

from simulator.jsons import Raw
from simulator.kinds import KINDS, Kind
from simulator.store import Change, Store, key_of
from simulator.writing import ENDED, PODS


def kind_named(plural: str, group: str = "apps") -> Kind:
    """Return a kind by its plural."""
    return next(kind for kind in KINDS if kind.plural == plural and kind.group == group)


def controller_of(raw: Raw) -> Raw | None:
    """Return the controller reference of an object."""
    references = raw["metadata"].get("ownerReferences") or ()
    return next((entry for entry in references if entry.get("controller")), None)


def owned(store: Store, kind: Kind, owner: Raw) -> list[Raw]:
    """Return the objects of a kind that an object controls."""
    uid = owner["metadata"]["uid"]
    found = store.all(kind, owner["metadata"].get("namespace"))
    return [raw for raw in found if (reference := controller_of(raw)) is not None and reference["uid"] == uid]


def owner_in(store: Store, kind: Kind, raw: Raw) -> Raw | None:
    """Return the object of a kind that controls this one."""
    reference = controller_of(raw)
    if reference is None or reference["kind"] != kind.name:
        return None
    owner = store.get(kind, (raw["metadata"].get("namespace", ""), reference["name"]))
    return owner if owner is not None and owner["metadata"]["uid"] == reference["uid"] else None


def concerned(store: Store, kind: Kind, change: Change, *, makes: Kind) -> Raw | None:
    """Return the object of a kind that a change is about, itself or by what it makes; None if it is on its way out."""
    raw = change.now if change.kind is kind else None
    if change.kind is makes:
        raw = owner_in(store, kind, change.now)
    current = None if raw is None else store.get(kind, key_of(raw))
    return None if current is None or "deletionTimestamp" in current["metadata"] else current


def reference_to(owner: Raw) -> Raw:
    """Return a controller reference."""
    head = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True}
    return head | {name: owner["metadata"][name] for name in ("name", "uid")}


def active(pods: Iterable[Raw]) -> list[Raw]:
    """Return the pods that count as replicas: neither terminating nor ended."""
    return [
        pod
        for pod in pods
        if "deletionTimestamp" not in pod["metadata"] and (pod.get("status") or {}).get("phase") not in ENDED
    ]


def pod_from(template: Raw, owner: Raw, **meta: str) -> Raw:
    """Return a new pod made from a template."""
    stamped = (template.get("metadata") or {}) | meta | {"ownerReferences": [reference_to(owner)]}
    return {"apiVersion": "v1", "kind": PODS.name, "metadata": stamped, "spec": template["spec"]}
