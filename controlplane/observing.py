"""An outsider's eyes: follows pods and events of a namespace by watch and remembers everything it saw."""

import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from controlplane.api import Api, ApiRefusedError
from controlplane.objects import Object


@dataclass(frozen=True, slots=True)
class Seen:
    """One change of an object: when it was seen (Unix seconds), its kind (ADDED, MODIFIED, DELETED), and the object."""

    at: float
    kind: str
    body: Object


class Observer:
    """Watches one collection in a thread of its own from the moment it is entered; a context manager."""

    def __init__(self, api: Api, path: str) -> None:
        self._api = api.clone()
        self._path = path
        self._changes: list[Seen] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._follow, name=f"observer of {path}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # It looks no longer than the watch that is open, a second at the most; nobody waits for that.
        self._stop.set()

    @property
    def changes(self) -> list[Seen]:
        """Everything seen so far, oldest first."""
        with self._lock:
            return list(self._changes)

    def newest(self) -> dict[str, Object]:
        """Return the objects that exist now, by name, as last seen."""
        found: dict[str, Object] = {}
        for seen in self.changes:
            if seen.kind == "DELETED":
                found.pop(seen.body["metadata"]["name"], None)
            else:
                found[seen.body["metadata"]["name"]] = seen.body
        return found

    def deleted(self) -> list[Object]:
        """Return every object that was seen to go, as it was at its end."""
        return [seen.body for seen in self.changes if seen.kind == "DELETED"]

    def bound(self) -> dict[str, tuple[str, float]]:
        """Return node and time of the first sight of every pod that was bound while we looked, by pod name."""
        found: dict[str, tuple[str, float]] = {}
        for seen in self.changes:
            node = seen.body.get("spec", {}).get("nodeName")
            if node:
                found.setdefault(seen.body["metadata"]["name"], (node, seen.at))
        return found

    def _follow(self) -> None:
        with self._api:
            self._look()

    def _look(self) -> None:
        version = ""
        while not self._stop.is_set():
            try:
                version = version or self._list()
                self._started.set()
                # Short watches, so that the end of the observer is noticed; each goes on where the last one ended.
                for event in self._api.watch(
                    self._path, seconds=1, resourceVersion=version, allowWatchBookmarks="true"
                ):
                    version = self._keep(event)
            except (ApiRefusedError, OSError):
                # The API server is being restarted, or has forgotten the version: what is there now is listed anew.
                version = ""
                self._stop.wait(0.2)

    def _list(self) -> str:
        answer = self._api.get(self._path)
        there = {item["metadata"]["name"] for item in answer["items"]}
        gone = [body for name, body in self.newest().items() if name not in there]
        self._add(*(("DELETED", body) for body in gone), *(("ADDED", item) for item in answer["items"]))
        version: str = answer["metadata"]["resourceVersion"]
        return version

    def _keep(self, event: Object) -> str:
        if event["type"] == "ERROR":
            return ""
        if event["type"] != "BOOKMARK":
            self._add((event["type"], event["object"]))
        version: str = event["object"]["metadata"]["resourceVersion"]
        return version

    def _add(self, *changes: tuple[str, Object]) -> None:
        at = time.time()
        with self._lock:
            self._changes += [Seen(at, kind, body) for kind, body in changes]


def evicted(pods: list[Object]) -> list[str]:
    """Return the names of those deleted pods whose end the Eviction API brought (its condition is on them)."""
    return [
        pod["metadata"]["name"]
        for pod in pods
        if any(condition.get("reason") == "EvictionByEvictionAPI" for condition in pod["status"].get("conditions", ()))
    ]
