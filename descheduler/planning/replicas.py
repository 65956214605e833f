"""The extender's replicas as their Leases show them: who lives, and which plan each obeys; it writes nothing.

A replica lives while its Lease object changed within the last 6 s on *our* monotonic clock, or has not been watched
for 6 s yet: its renewTime was written by a clock that may be wrong, so it proves nothing. When it changed is known to
lie between two looks. Who must obey is asked of all that may live, the later end; an eviction rests on the earlier.
"""

import threading
from dataclasses import dataclass, replace
from typing import Any, Final

from sources.clocks import Clock
from sources.kube import errors, listing
from sources.kube.api import KubeApi

LIVES_FOR: Final = 6.0
PLAN: Final = "bayplan.dev/plan"
DROPPED: Final = "bayplan.dev/plan-dropped"
_PREFIX: Final = "bayplan-extender-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One replica's Lease: its content as last seen, since when it is watched, and between when it has changed."""

    name: str
    version: str
    plan: str
    dropped: str
    watched_since: float
    changed_after: float
    changed_at: float

    @property
    def changed(self) -> bool:
        """Whether it was ever seen to change."""
        return self.changed_at > self.watched_since

    def renewed_within(self, seconds: float, *, now: float) -> bool:
        """Tell whether it is certain that it changed so lately."""
        return self.changed and now - self.changed_after < seconds


class Replicas:
    """Keeps looking at the replicas' Leases of one namespace. Safe to use from several threads."""

    def __init__(self, api: KubeApi, *, namespace: str, clock: Clock) -> None:
        self._api = api
        self._path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        self._clock = clock
        self._lock = threading.Lock()
        self._looking = threading.Lock()  # an answer that comes after a newer one would revive the dead
        self._seen: dict[str, Sighting] = {}
        self._obeyed: dict[str, str] = {}  # the last plan that each replica showed, whether or not it is still seen
        self._looked_at: float | None = None

    def look(self) -> str | None:
        """List the Leases once; return in words what kept them from being read, None where nothing did."""
        with self._looking:
            began = self._clock.monotonic()
            try:
                page = listing.list_raw(self._api, self._path)
            except errors.ApiError as error:
                return f"the replicas' Leases cannot be read: {error}"
            with self._lock:
                found = {}
                for raw in page.items:
                    name = str(raw["metadata"]["name"])
                    if name.startswith(_PREFIX):
                        found[name] = self._sighting(raw, self._seen.get(name), began)
                self._seen, self._looked_at = found, began
                shown = {one.plan for one in found.values() if one.plan}
                self._obeyed = {name: plan for name, plan in self._obeyed.items() if plan in shown}
                self._obeyed |= {one.name: one.plan for one in found.values() if one.plan}
        return None

    def live(self) -> tuple[Sighting, ...]:
        """Return the replicas that live, by name."""
        now = self._clock.monotonic()
        with self._lock:
            seen = sorted(self._seen.values(), key=lambda one: one.name)
        return tuple(one for one in seen if now - max(one.changed_at, one.watched_since) < LIVES_FOR)

    def unsure(self) -> bool:
        """Tell whether some Lease may be a dead one's: it was not seen to change yet, or not since when.

        Before the first look everything is unsure.
        """
        now = self._clock.monotonic()
        return self._looked_at is None or any(not one.renewed_within(LIVES_FOR, now=now) for one in self.live())

    def lacking(self, version: str) -> str | None:
        """Say in words which live replica does not obey a plan's version, None where each does (at least one)."""
        live = self.live()
        if not live:
            return "no replica of the extender lives"
        for one in live:
            if one.dropped == version:
                return f"{_short(one.name)} dropped the plan"
            if one.plan != version:
                return f"{_short(one.name)} does not show the plan"
        return None

    def lost(self, version: str) -> str | None:
        """Say in words that a plan binds nobody any more, as every live replica has dropped it; None while one has not.

        What one of several does not obey the others still do, so a plan that only waits goes on.
        """
        live = self.live()
        if not live or any(one.dropped != version for one in live):
            return None
        return f"{_short(live[0].name)} dropped the plan"

    def silent(self, version: str) -> str | None:
        """Say in words why an eviction must wait: beside `lacking`, every Lease must have been *seen* to change lately.

        A replica that obeyed the plan and is not seen any more may still answer kube-scheduler, without the plan.
        """
        lacking = self.lacking(version)
        if lacking is not None:
            return lacking
        now, live = self._clock.monotonic(), self.live()
        unseen = next((one for one in live if not one.renewed_within(LIVES_FOR, now=now)), None)
        if unseen is not None:
            return f"{_short(unseen.name)} was not seen to renew its Lease {'lately' if unseen.changed else 'yet'}"
        with self._lock:
            lost = {name for name, plan in self._obeyed.items() if plan == version} - {one.name for one in live}
        return f"{_short(min(lost))} obeyed the plan and is not seen any more" if lost else None

    def _sighting(self, raw: dict[str, Any], before: Sighting | None, now: float) -> Sighting:
        version = str(raw["metadata"].get("resourceVersion") or "")
        notes = raw["metadata"].get("annotations") or {}
        seen = Sighting(
            name=str(raw["metadata"]["name"]),
            version=version,
            plan=str(notes.get(PLAN) or ""),
            dropped=str(notes.get(DROPPED) or ""),
            watched_since=now,
            changed_after=now,
            changed_at=now,
        )
        if before is None:
            return seen
        if before.version == version:
            return before
        after = now if self._looked_at is None else self._looked_at
        return replace(seen, watched_since=before.watched_since, changed_after=after)


def _short(name: str) -> str:
    return f"replica {name.removeprefix(_PREFIX)}"
