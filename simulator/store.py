"""The objects of the in-memory API server with the history of their changes; checks nothing that a request says."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from simulator.failures import expired
from simulator.jsons import Raw, copied, timestamp
from simulator.kinds import KINDS, Kind
from sources.clocks import Clock

_NAMES_A_UID: Final = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")

Key = tuple[str, str]
"""Namespace (empty for cluster-wide kinds) and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One write: `type` as watches name it, the object as it is now and as it was before."""

    version: int
    kind: Kind
    type: str
    now: Raw
    before: Raw | None = None


def key_of(raw: Raw) -> Key:
    """Return the key of an object."""
    meta = raw["metadata"]
    return meta.get("namespace", ""), meta["name"]


class Store:
    """Objects by kind and key. What is inside is never changed in place; every write gives a new resource version.

    Not thread-safe: the server holds its lock around every use.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._objects: dict[Kind, dict[Key, Raw]] = {kind: {} for kind in KINDS}
        self._uids = 0
        self.version = 1
        self.compacted = 1
        self.changes: list[Change] = []
        self.listeners: list[Callable[[Change], None]] = []

    def get(self, kind: Kind, key: Key) -> Raw | None:
        """Return one object, not to be changed."""
        return self._objects[kind].get(key)

    def all(self, kind: Kind, namespace: str | None = None) -> Iterator[Raw]:
        """Yield the objects of a kind in the order of their keys, as the API server lists them."""
        for key, raw in sorted(self._objects[kind].items(), key=lambda item: item[0]):
            if namespace is None or key[0] == namespace:
                yield raw

    def add(self, kind: Kind, raw: Raw) -> Raw:
        """Write a new object with what the server gives every one: UID, creation time, resource version."""
        self._uids += 1
        meta = {
            "uid": str(uuid.uuid5(_NAMES_A_UID, str(self._uids))),
            "creationTimestamp": timestamp(self._clock.now()),
            "generation": 1,
        } | raw["metadata"]
        head = {"apiVersion": kind.api_version, "kind": kind.name}
        return self._write(kind, "ADDED", head | raw | {"metadata": meta}, None)

    def replace(self, kind: Kind, raw: Raw) -> Raw:
        """Write an object over the one of its key; one that is equal changes nothing, as in Kubernetes."""
        before = self._objects[kind][key_of(raw)]
        if raw == before:
            return before
        return self._write(kind, "MODIFIED", raw, before)

    def remove(self, kind: Kind, key: Key) -> Raw:
        """Take an object away."""
        before = self._objects[kind].pop(key)
        return self._write(kind, "DELETED", before, before)

    def since(self, version: int, kind: Kind) -> list[Change]:
        """Return the changes of a kind after a version.

        Raises:
            Failure: 410, the version was compacted away.
        """
        if version < self.compacted:
            raise expired(f"too old resource version: {version} ({self.compacted})")
        first = len(self.changes)
        while first > 0 and self.changes[first - 1].version > version:
            first -= 1
        return [change for change in self.changes[first:] if change.kind is kind]

    def compact(self) -> None:
        """Forget the history up to now."""
        self.compacted = self.version
        self.changes.clear()

    def _write(self, kind: Kind, change_type: str, raw: Raw, before: Raw | None) -> Raw:
        self.version += 1
        written: Raw = copied(raw)
        written["metadata"]["resourceVersion"] = str(self.version)
        if change_type != "DELETED":
            self._objects[kind][key_of(written)] = written
        change = Change(version=self.version, kind=kind, type=change_type, now=written, before=before)
        self.changes.append(change)
        for listener in self.listeners:
            listener(change)
        return written
