"""One kind of object kept up to date: listed in pages, then watched; it decides nothing about what it keeps.

After a broken watch it goes on from the last version it saw; only when the server has forgotten that version (410)
is everything listed again, and then what did not change is not reported again. A few objects are also listed again
when the watch was silent for too long, as only an answer tells a quiet cluster from a dead connection.
"""

import logging
import math
import random
import threading
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

from sources.clocks import Clock, SystemClock
from sources.garbage import COLLECTOR
from sources.kube.api import KubeApi
from sources.kube.decoding.tolerant import MalformedObject, name_of, tolerant
from sources.kube.errors import ApiError, Gone, TimedOut, Undecodable, status_error
from sources.kube.kinds import Kind
from sources.kube.listing import raw_pages

_LOG = logging.getLogger(__name__)
# The server sends a bookmark each minute, but none before it has seen any event of the kind: on a cluster without
# claims the first one came after 120 s (seen on 1.37), and nothing promises that it comes at all.
_SILENT_FOR: Final = 90.0
_WATCH_FOR: Final = (240.0, 360.0)  # seconds, drawn anew each time, so that watches do not all end together
_FIRST_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 30.0
_TOO_SHORT: Final = 1.0  # a watch that ends sooner counts as a failure, or we would ask in a tight loop
T = TypeVar("T")
_Raw = Mapping[str, Any]


class OnChange(Protocol):
    """Told of each change: None before is a new object, None after one that is gone."""

    def __call__(self, before: Any, after: Any, /) -> None: ...  # noqa: ANN401, D102  # values of the kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Clock and chance of a watch; tests give their own."""

    clock: Clock = field(default_factory=SystemClock)
    seed: int | None = None


class Reflector(Generic[T]):
    """The objects of one kind, as of the last event. `run` belongs to one thread, everything else to any."""

    def __init__(self, api: KubeApi, kind: Kind[T], on_change: OnChange, *, pace: Pace | None = None) -> None:
        pace = pace or Pace()
        self.kind = kind
        self.problem = ""
        self.synced = False
        self.skipped: dict[str, str] = {}
        self._api = api
        self._on_change = on_change
        self._clock = pace.clock
        self._chance = random.Random(pace.seed)  # noqa: S311  # spreads reconnections, keeps no secret
        self._values: dict[str, T] = {}
        self._lock = threading.Lock()
        self._version: str | None = None
        self._alive_at = -math.inf

    def values(self) -> dict[str, T]:
        """Return every object by key, as of now."""
        with self._lock:
            return dict(self._values)

    def get(self, key: str) -> T | None:
        """Return one object."""
        return self._values.get(key)

    def stale_for(self) -> float:
        """Return the seconds since the server last proved that we know everything; infinite before the first list.

        A quiet cluster proves it with a bookmark each minute, or when it is listed again after a silence.
        """
        return self._clock.monotonic() - self._alive_at

    def run(self, stop: threading.Event) -> None:
        """List and watch until told to stop; failures of the API are waited out here."""
        failures = 0
        self._version = None
        while not stop.is_set():
            began = self._clock.monotonic()
            try:
                self._once(stop)
                self.problem = ""
            except Gone:
                self._version = None
            except ApiError as problem:
                if stop.is_set():
                    return  # whoever stops us breaks our connection
                self._report(problem)
            lived = self._clock.monotonic() - began >= _TOO_SHORT
            failures = 0 if lived and not self.problem else failures + 1
            if failures:
                stop.wait(self._pause(failures))

    def _once(self, stop: threading.Event) -> None:
        if self._version is None:
            self._version = self._list(stop)
        if not stop.is_set():
            self._watch(stop)

    def _report(self, problem: ApiError) -> None:
        text = str(problem)
        if text != self.problem:
            _LOG.warning("%s: %s", self.kind.name, text)
        self.problem = text

    def _pause(self, failures: int) -> float:
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(failures - 1, 10))
        return longest * self._chance.uniform(0.5, 1.0)

    def _list(self, stop: threading.Event) -> str | None:
        seen: set[str] = set()
        odd: set[str] = set()
        version = None
        for page in raw_pages(self._api, self.kind.path, limit=self.kind.page, select=self.kind.select):
            if stop.is_set():
                return None
            with COLLECTOR.paused():
                for raw in page.items:
                    if (key := self._take(raw)) is not None:
                        seen.add(key)
                    if self.skipped:
                        odd.add(name_of(raw))
            version = page.resource_version
        for key in self.values().keys() - seen:
            self._drop(key)
        self._no_longer_odd(self.skipped.keys() - odd)
        self._proved_alive()
        self.synced = True
        self.problem = ""
        return version

    def _watch(self, stop: threading.Event) -> None:
        query = {
            **self.kind.select,
            "watch": "1",
            "resourceVersion": self._version or "",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(round(self._chance.uniform(*_WATCH_FOR))),
        }
        try:
            for event in self._api.stream(self.kind.path, query=query, timeout=_SILENT_FOR):
                self._handle(event)
                if stop.is_set():
                    return
        except TimedOut:
            if len(self._values) > self.kind.page:
                raise  # so many are not listed for nothing: what was missed comes with the next watch
            self._version = None

    def _handle(self, event: _Raw) -> None:
        kind, raw = event.get("type"), event.get("object")
        if not isinstance(raw, dict):
            raise Undecodable(f"watch of {self.kind.path}: {kind} event without an object")
        if kind == "ERROR":
            code = raw.get("code")
            raise status_error(code if isinstance(code, int) else 500, raw)
        version = _version_of(raw) or self._version
        if _went_back(self._version, version):
            text = f"versions of {self.kind.path} went back from {self._version} to {version}"
            raise status_error(410, {"reason": "Expired", "message": text})
        if kind in {"ADDED", "MODIFIED"}:
            self._take(raw)
        elif kind == "DELETED":
            self._forget(raw)
        self._version = version
        self._proved_alive()
        self.problem = ""

    def _proved_alive(self) -> None:
        self._alive_at = self._clock.monotonic()

    def _take(self, raw: _Raw) -> str | None:
        try:
            key = tolerant(self.kind.key, raw)
        except MalformedObject as problem:
            self._skip(raw, problem)
            return None
        try:
            value = tolerant(self.kind.decode, raw)
        except MalformedObject as problem:
            self._skip(raw, problem)
            self._drop(key)
            return key
        self._read_again(raw)
        self._put(key, value)
        return key

    def _skip(self, raw: _Raw, problem: MalformedObject) -> None:
        name, text = name_of(raw), str(problem)
        if self.skipped.get(name) != text:
            _LOG.warning("malformed object of %s skipped: %s", self.kind.name, text)
        self.skipped = {**self.skipped, name: text}  # a new mapping: snapshots in other threads read the old one

    def _read_again(self, raw: _Raw) -> None:
        if self.skipped:
            self._no_longer_odd({name_of(raw)})

    def _no_longer_odd(self, names: AbstractSet[str]) -> None:
        """Take off what can be read again, or is gone: a malformed budget that is no more protects nobody."""
        if not names.isdisjoint(self.skipped):
            self.skipped = {name: text for name, text in self.skipped.items() if name not in names}

    def _forget(self, raw: _Raw) -> None:
        try:
            key = tolerant(self.kind.key, raw)
        except MalformedObject as problem:
            self._skip(raw, problem)
            return
        self._read_again(raw)
        self._drop(key)

    def _put(self, key: str, value: T) -> None:
        with self._lock:
            before = self._values.get(key)
            self._values[key] = value
        if before is None or before != value:
            self._on_change(before, value)

    def _drop(self, key: str) -> None:
        with self._lock:
            before = self._values.pop(key, None)
        if before is not None:
            self._on_change(before, None)


def _version_of(raw: _Raw) -> str | None:
    metadata = raw.get("metadata")
    version = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
    return version if isinstance(version, str) else None


def _went_back(known: str | None, now: str | None) -> bool:
    """Tell whether a server is behind what it has told: it was restored, and what came after is undone unheard."""
    if known is None or now is None or not (known.isdecimal() and now.isdecimal()):
        return False
    return int(now) < int(known)
