"""Watches: events since a version, bookmarks, 410, and the ways in which a stream can die or fall silent."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from simulator.failures import Failure
from simulator.jsons import Raw, copied
from simulator.kinds import Kind, Target
from simulator.selecting import test_of
from simulator.store import Change, Store
from sources.clocks import Clock
from sources.kube.errors import ApiError, TimedOut

BOOKMARK_EVERY = 60.0
"""Seconds between bookmarks, as the API server sends them."""


@dataclass(slots=True, kw_only=True)
class Stream:
    """One open watch: how far it has got, how it is to end, and when (monotonic) it last had nothing to tell."""

    path: str
    target: Target
    query: dict[str, str]
    position: int
    frozen: bool = False
    ended: bool = False
    broken: ApiError | None = None
    pending: list[Raw] = field(default_factory=list)
    idle_at: float | None = None


@dataclass(slots=True, kw_only=True)
class Watches:
    """Every open watch. `changed` is the server's condition: notified when something may have to be sent."""

    store: Store
    clock: Clock
    changed: threading.Condition
    _open: list[Stream] = field(default_factory=list)

    def open(self, path: str, target: Target, query: dict[str, str]) -> Stream:
        """Begin a watch; without a version (or with 0) it tells the present state first."""
        asked = query.get("resourceVersion", "")
        stream = Stream(path=path, target=target, query=query, position=int(asked or 0))
        passes = test_of(query, target.kind, target.namespace)
        if asked in {"", "0"}:
            stream.position = self.store.version
            stream.pending = [_event("ADDED", raw) for raw in self.store.all(target.kind) if passes(raw)]
        self._open.append(stream)
        return stream

    def each(self, path: str, do: Callable[[Stream], None]) -> int:
        """Do something to every open watch whose path matches the pattern; return how many there were."""
        with self.changed:
            meant = [stream for stream in self._open if fnmatchcase(stream.path, path)]
            for stream in meant:
                do(stream)
            self.changed.notify_all()
            return len(meant)

    def idle(self) -> int:
        """Return how many watches have told everything that there is to tell now, and wait for more."""
        with self.changed:
            return sum(self._is_idle(stream) for stream in self._open)

    def _is_idle(self, stream: Stream) -> bool:
        over = stream.ended or stream.broken is not None
        told = stream.frozen or stream.position == self.store.version
        return not over and told and stream.idle_at == self.clock.monotonic()

    def events(self, stream: Stream, timeout: float) -> Iterator[Raw]:
        """Yield events until the watch ends; a silence longer than `timeout` of the clock is a TimedOut."""
        opened = heard = self.clock.monotonic()
        lasts = float(stream.query.get("timeoutSeconds") or "inf")
        try:
            while (batch := self._wait(stream, until=min(opened + lasts, heard + timeout))) is not None:
                heard = self.clock.monotonic() if batch else heard
                yield from batch
                if batch and batch[-1]["type"] == "ERROR":
                    return
                if not batch and self.clock.monotonic() >= opened + lasts:
                    return
                if not batch and self.clock.monotonic() >= heard + timeout:
                    raise TimedOut(f"watch of {stream.path}: nothing came within {timeout} s")
        finally:
            with self.changed:
                self._open.remove(stream)

    def _wait(self, stream: Stream, *, until: float) -> list[Raw] | None:
        """Wait for events; none once the moment has come, None once the server ends the watch."""
        asleep_since = self.clock.monotonic()
        with self.changed:
            while True:
                now, stream.idle_at = self.clock.monotonic(), None
                if stream.broken is not None:
                    raise stream.broken
                if stream.ended:
                    return None
                batch = [] if stream.frozen else self._due(stream, asleep_since)
                if batch or now >= until:
                    return copied(batch)  # type: ignore[no-any-return]  # a copy is what it copies
                stream.idle_at = now
                self.changed.wait(1.0)  # in real time, only so that a lost notification cannot hang a test

    def _due(self, stream: Stream, asleep_since: float) -> list[Raw]:
        batch, stream.pending = stream.pending, []
        try:
            changes = self.store.since(stream.position, stream.target.kind)
        except Failure as failure:
            return [*batch, {"type": "ERROR", "object": failure.body()}]
        passes = test_of(stream.query, stream.target.kind, stream.target.namespace)
        stream.position = self.store.version
        batch += [event for change in changes if (event := _seen(change, passes)) is not None]
        quiet = self.clock.monotonic() - asleep_since
        if not batch and quiet >= BOOKMARK_EVERY and stream.query.get("allowWatchBookmarks") in {"true", "1"}:
            batch.append(bookmark(stream.target.kind, self.store.version))
        return batch


def bookmark(kind: Kind, version: int) -> Raw:
    """Return the event that tells a client how far it is without any change."""
    head = {"kind": kind.name, "apiVersion": kind.api_version}
    return {"type": "BOOKMARK", "object": head | {"metadata": {"resourceVersion": str(version)}}}


def _seen(change: Change, passes: Callable[[Raw], bool]) -> Raw | None:
    """Return a change as a watch with a selector sees it: coming into view is ADDED, leaving it DELETED."""
    was = change.before is not None and passes(change.before)
    now = change.type != "DELETED" and passes(change.now)
    if not was and not now:
        return None
    return _event("MODIFIED" if was and now else "DELETED" if was else "ADDED", change.now)


def _event(kind: str, raw: Raw) -> Raw:
    return {"type": kind, "object": raw}
