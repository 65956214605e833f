"""What was in the cluster when something happened, from everything that was seen; knows nothing of Bayplan.

All kinds are stored in one etcd, so resource versions put the changes of all of them in one order.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from controlplane.objects import Object
from controlplane.observing import Seen

Key = tuple[str, str, str]
# The kinds that have replicas, and those that make pods for another one.
REPLICATED = ("Deployment", "StatefulSet", "ReplicaSet")


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one object: `gone` says that it was deleted, `body` is how it was then."""

    revision: int
    kind: str
    body: Object
    gone: bool


def in_order(seen: Mapping[str, Iterable[Seen]]) -> list[Change]:
    """Return what was seen of several kinds in the order in which it happened, every change once."""
    found = {
        (change.revision, change.kind, change.gone): change
        for kind, changes in seen.items()
        for change in (_change(kind, one) for one in changes)
    }
    return sorted(found.values(), key=lambda change: (change.revision, change.gone))


def _change(kind: str, seen: Seen) -> Change:
    revision = int(seen.body["metadata"]["resourceVersion"])
    return Change(revision, kind, seen.body, gone=seen.kind == "DELETED")


@dataclass
class State:
    """The objects as they are after the changes so far, by kind, namespace and name."""

    objects: dict[Key, Object] = field(default_factory=dict)

    def apply(self, change: Change) -> None:
        """Let one change happen."""
        metadata = change.body["metadata"]
        key = (change.kind, metadata.get("namespace", ""), metadata["name"])
        if change.gone:
            self.objects.pop(key, None)
        else:
            self.objects[key] = change.body

    def of(self, kind: str, namespace: str) -> Iterator[Object]:
        """Yield the objects of one kind in a namespace."""
        for (found, where, _), body in self.objects.items():
            if (found, where) == (kind, namespace):
                yield body

    def find(self, kind: str, namespace: str, name: str) -> Object | None:
        """Return one object, or None."""
        return self.objects.get((kind, namespace, name))

    def workload(self, body: Object) -> Key | None:
        """Return the topmost owner of an object that is known here, None for one without an owner."""
        owner = controller(body)
        if owner is None:
            return None
        key = (owner["kind"], body["metadata"]["namespace"], owner["name"])
        above = self.objects.get(key)
        return key if above is None else self.workload(above) or key

    def members(self, workload: Key) -> list[Object]:
        """Return the pods of a workload that are not on their way out."""
        pods = self.of("Pod", workload[1])
        return [pod for pod in pods if self.workload(pod) == workload and is_staying(pod)]


def controller(body: Object) -> Object | None:
    """Return the entry of the owner that manages an object."""
    owners: list[Object] = body["metadata"].get("ownerReferences") or []
    return next((owner for owner in owners if owner.get("controller")), None)


def is_staying(pod: Object) -> bool:
    """Return whether a pod is neither on its way out nor at its end."""
    return "deletionTimestamp" not in pod["metadata"] and pod["status"].get("phase") not in {"Succeeded", "Failed"}


def is_healthy(pod: Object) -> bool:
    """Return whether a pod is Ready and stays."""
    return condition(pod, "Ready").get("status") == "True" and is_staying(pod)


def condition(pod: Object, kind: str) -> Object:
    """Return one condition of a pod, empty if it has none of this kind."""
    conditions: list[Object] = pod["status"].get("conditions") or []
    return next((one for one in conditions if one["type"] == kind), {})
