"""Create, update, patch and delete with the checks and defaults of the Kubernetes API; knows no request and no lock."""

from collections.abc import Callable
from dataclasses import dataclass

from simulator.admission import admit
from simulator.failures import Failure, bad_request, conflict, invalid, not_found
from simulator.jsons import Raw, merged, seconds, timestamp
from simulator.kinds import KINDS, Kind
from simulator.store import Key, Store, key_of
from sources.clocks import Clock

NAMESPACES = next(kind for kind in KINDS if kind.plural == "namespaces")
PODS = next(kind for kind in KINDS if kind.plural == "pods" and not kind.group)
ENDED = ("Succeeded", "Failed")
_SERVER_OWNED = ("uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteOptions:
    """What a deletion asks for; `grace` None means the pod's own."""

    grace: int | None = None
    uid: str | None = None
    resource_version: str | None = None
    dry_run: bool = False

    @staticmethod
    def of(body: object, query: dict[str, str]) -> "DeleteOptions":
        """Read a DeleteOptions object, with `dryRun` from either place."""
        raw: Raw = body if isinstance(body, dict) else {}
        preconditions = raw.get("preconditions") or {}
        return DeleteOptions(
            grace=raw.get("gracePeriodSeconds"),
            uid=preconditions.get("uid"),
            resource_version=preconditions.get("resourceVersion"),
            dry_run="All" in (raw.get("dryRun") or ()) or query.get("dryRun") == "All",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """The writes of a server. `later` runs an action after some seconds of the clock, under the server's lock."""

    store: Store
    clock: Clock
    later: Callable[[float, Callable[[], None]], None]

    def require(self, kind: Kind, key: Key) -> Raw:
        """Return an object, or fail with 404."""
        raw = self.store.get(kind, key)
        if raw is None:
            raise not_found(kind.qualified, key[1])
        return raw

    def put(self, raw: Raw, kind: Kind) -> Raw:
        """Write an object as it is, status included, with a namespace to stand in: for setting a scene."""
        meta = raw["metadata"]
        if kind.namespaced:
            raw = raw | {"metadata": {"namespace": "default"} | meta}
            self.add_namespace(raw["metadata"]["namespace"])
        before = self.store.get(kind, key_of(raw))
        if before is None:
            return self.store.add(kind, raw)
        kept = {name: before["metadata"][name] for name in _SERVER_OWNED if name in before["metadata"]}
        head = {"apiVersion": kind.api_version, "kind": kind.name}
        versioned = {"resourceVersion": before["metadata"]["resourceVersion"]}
        return self.store.replace(kind, head | raw | {"metadata": kept | raw["metadata"] | versioned})

    def add_namespace(self, name: str) -> None:
        """Make sure that a namespace exists."""
        if self.store.get(NAMESPACES, ("", name)) is None:
            labels = {"kubernetes.io/metadata.name": name}
            self.store.add(NAMESPACES, {"metadata": {"name": name, "labels": labels}, "status": {"phase": "Active"}})

    def create(self, kind: Kind, raw: Raw, *, namespace: str | None, dry_run: bool = False) -> Raw:
        """Create an object as a client asks for it."""
        meta = self._new_metadata(kind, raw, namespace)
        key = (meta.get("namespace", ""), meta["name"])
        if self.store.get(kind, key) is not None:
            details = {"name": key[1], "kind": kind.plural}
            raise Failure(409, "AlreadyExists", f'{kind.qualified} "{key[1]}" already exists', details=details)
        if kind.namespaced and self.store.get(NAMESPACES, ("", key[0])) is None:
            raise not_found("namespaces", key[0])
        content = {name: value for name, value in raw.items() if name != "status" or not kind.status}
        wanted = admit(kind, content | {"metadata": meta}, self.store)
        return wanted if dry_run else self.store.add(kind, wanted)

    def _new_metadata(self, kind: Kind, raw: Raw, namespace: str | None) -> Raw:
        given = raw.get("metadata") or {}
        _check_kind(kind, raw)
        if given.get("resourceVersion"):
            raise bad_request("resourceVersion should not be set on objects to be created")
        if given.get("namespace") not in {None, namespace}:
            raise bad_request(
                f"the namespace of the provided object ({given['namespace']}) does not match the namespace sent on "
                f"the request ({namespace})"
            )
        meta = {name: value for name, value in given.items() if name not in _SERVER_OWNED}
        if kind.namespaced:
            meta["namespace"] = namespace
        if not meta.get("name") and meta.get("generateName"):
            meta["name"] = f"{meta['generateName']}{self.store.version:05x}"
        if not meta.get("name"):
            raise invalid(kind.qualified, "", "metadata.name: Required value: name or generateName is required")
        return meta

    def update(self, kind: Kind, key: Key, raw: Raw, *, subresource: str = "", dry_run: bool = False) -> Raw:
        """Write an object over another, or only its status, if it is still the one that the client has seen."""
        current = self.require(kind, key)
        _check_kind(kind, raw)
        given = raw.get("metadata") or {}
        if given.get("name") != key[1]:
            raise bad_request(
                f"the name of the object ({given.get('name')}) does not match the name on the URL ({key[1]})"
            )
        _check_version(kind, current, given)
        wanted = _composed(kind, current, raw, subresource)
        if wanted == current:
            return current
        if kind is PODS and wanted.get("spec") != current.get("spec"):
            raise invalid(kind.qualified, key[1], "spec: Forbidden: pod updates may not change fields of the spec here")
        if _without(wanted, "metadata", "status" if kind.status else "") != _without(
            current, "metadata", "status" if kind.status else ""
        ):
            wanted["metadata"]["generation"] = current["metadata"].get("generation", 1) + 1
        if dry_run:
            return wanted
        written = self.store.replace(kind, wanted)
        return self._let_go(kind, written)

    def patch(self, kind: Kind, key: Key, patch: Raw, *, subresource: str = "", dry_run: bool = False) -> Raw:
        """Apply a JSON merge patch; a resourceVersion or UID in it is a precondition."""
        current = self.require(kind, key)
        return self.update(kind, key, merged(current, patch), subresource=subresource, dry_run=dry_run)

    def delete(self, kind: Kind, key: Key, options: DeleteOptions) -> Raw:
        """Delete an object: pods after their grace period, others at once or once their finalizers are gone."""
        current = self.require(kind, key)
        self.check_preconditions(kind, current, options)
        grace = _grace(current, options) if kind is PODS else 0
        if options.dry_run:
            return current
        if grace == 0 and not current["metadata"].get("finalizers"):
            return self.store.remove(kind, key)
        return self._terminate(kind, current, grace)

    def check_preconditions(self, kind: Kind, current: Raw, options: DeleteOptions) -> None:
        """Fail with 409 where the object is not the one that the client means."""
        meta = current["metadata"]
        for what, wanted, seen in (
            ("UID", options.uid, meta["uid"]),
            ("ResourceVersion", options.resource_version, meta["resourceVersion"]),
        ):
            if wanted and wanted != seen:
                why = f"the {what} in the precondition ({wanted}) does not match the {what} in record ({seen})"
                raise conflict(
                    kind.qualified, meta["name"], f"{why}. The object might have been deleted and then recreated"
                )

    def bind(self, key: Key, node: str) -> Raw:
        """Give an unbound pod its node, as the binding subresource does."""
        pod = self.require(PODS, key)
        if pod["spec"].get("nodeName"):
            raise conflict(
                "pods/binding", key[1], f"pod {key[1]} is already assigned to node {pod['spec']['nodeName']!r}"
            )
        if pod["metadata"].get("deletionTimestamp") or pod["spec"].get("schedulingGates"):
            raise conflict("pods/binding", key[1], f"pod {key[1]} is being deleted or gated")
        status = with_condition(pod.get("status") or {}, "PodScheduled", "True", at=self.clock.now())
        return self.store.replace(PODS, pod | {"spec": pod["spec"] | {"nodeName": node}, "status": status})

    def _terminate(self, kind: Kind, current: Raw, grace: int) -> Raw:
        meta = dict(current["metadata"])
        ends = self.clock.now() + grace
        if "deletionTimestamp" in meta and seconds(meta["deletionTimestamp"]) <= ends:
            return current
        meta |= {"deletionTimestamp": timestamp(ends), "deletionGracePeriodSeconds": grace}
        written = self.store.replace(kind, current | {"metadata": meta})
        self.later(grace, lambda: self._finish(kind, key_of(current), meta["uid"]))
        return written

    def _finish(self, kind: Kind, key: Key, uid: str) -> None:
        current = self.store.get(kind, key)
        if current is not None and current["metadata"]["uid"] == uid:
            meta = current["metadata"] | {"deletionGracePeriodSeconds": 0}
            self._let_go(kind, self.store.replace(kind, current | {"metadata": meta}))

    def _let_go(self, kind: Kind, raw: Raw) -> Raw:
        """Remove an object whose time is over and that nobody holds by a finalizer."""
        meta = raw["metadata"]
        over = "deletionTimestamp" in meta and meta.get("deletionGracePeriodSeconds", 0) == 0
        return self.store.remove(kind, key_of(raw)) if over and not meta.get("finalizers") else raw


def with_condition(status: Raw, kind: str, value: str, *, at: float, **more: str) -> Raw:
    """Return a status in which one condition has this value; its transition time moves only when the value does."""
    others = [entry for entry in status.get("conditions") or () if entry["type"] != kind]
    old = next((entry for entry in status.get("conditions") or () if entry["type"] == kind), None)
    same = old is not None and old["status"] == value
    since = old["lastTransitionTime"] if same and old is not None else timestamp(at)
    return status | {"conditions": [*others, {"type": kind, "status": value, "lastTransitionTime": since} | more]}


def _composed(kind: Kind, current: Raw, raw: Raw, subresource: str) -> Raw:
    if subresource == "status":
        return current | {"status": raw.get("status") or {}}
    meta = {name: value for name, value in raw["metadata"].items() if name not in _SERVER_OWNED}
    owned = (*_SERVER_OWNED, "resourceVersion", *(("namespace",) if kind.namespaced else ()))
    kept = {name: current["metadata"][name] for name in owned if name in current["metadata"]}
    wanted = {"apiVersion": kind.api_version, "kind": kind.name} | raw | {"metadata": meta | kept}
    if kind.status:
        wanted.pop("status", None)
        wanted |= {"status": current["status"]} if "status" in current else {}
    return wanted


def _check_kind(kind: Kind, raw: Raw) -> None:
    seen = (raw.get("apiVersion", kind.api_version), raw.get("kind", kind.name))
    if seen != (kind.api_version, kind.name):
        raise bad_request(f"{seen[1]} in {seen[0]} was sent to the endpoint of {kind.name} in {kind.api_version}")


def _check_version(kind: Kind, current: Raw, given: Raw) -> None:
    meta, name = current["metadata"], current["metadata"]["name"]
    if given.get("uid") not in {None, "", meta["uid"]}:
        why = f"Precondition failed: UID in precondition: {given['uid']}, UID in object meta: {meta['uid']}"
        raise conflict(kind.qualified, name, why)
    if not given.get("resourceVersion") and kind.conditional:
        raise invalid(
            kind.qualified, name, "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
        )
    if given.get("resourceVersion") and given["resourceVersion"] != meta["resourceVersion"]:
        why = "the object has been modified; please apply your changes to the latest version and try again"
        raise conflict(kind.qualified, name, why)


def _grace(pod: Raw, options: DeleteOptions) -> int:
    spec = pod.get("spec") or {}
    if not spec.get("nodeName") or (pod.get("status") or {}).get("phase") in ENDED:
        return 0
    wanted = options.grace if options.grace is not None else spec.get("terminationGracePeriodSeconds", 30)
    return int(wanted) if wanted >= 0 else 1


def _without(raw: Raw, *names: str) -> Raw:
    return {name: value for name, value in raw.items() if name not in names}
