"""A fake replica of the extender, and a scheduler that asks such replicas; as the protocol between the services says.

A replica obeys a plan iff the slot names its UID and revision, it has the object at that revision, the phase has not
ended and the slot's renewal changed within 10 s on its own clock. It says so in its Lease, while that was within 6 s.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from policies.plans.quotas import kind_of, remaining
from policies.values.nodes import Node
from policies.values.plans import Plan
from policies.values.pods import Pod
from policies.values.resources import total
from simulator.api_server import ApiServer
from simulator.jsons import Raw
from simulator.kinds import KINDS
from simulator.store import Change, key_of
from simulator.writing import PODS, Writer, with_condition
from sources.kube.decoding.nodes import decode_node
from sources.kube.decoding.pods import decode_pod
from sources.kube.errors import ApiError, NotFound
from sources.kube.plans import decode_plan, decode_slot

OWN: Final = "bayplan-system"
DROPS_AFTER: Final = 10.0
SURE_FOR: Final = 6.0
HOLDS_FOR: Final = 2.0
RENEW_EVERY: Final = 2.0
LOOK_EVERY: Final = 0.1
_NODES: Final = next(kind for kind in KINDS if kind.plural == "nodes")
_MERGE: Final = "application/merge-patch+json"


class FakeReplica:
    """One replica. `dead` does nothing any more; `deaf` sees nothing new but still renews its Lease.

    One that is `cut` off reaches the API no more, and still answers kube-scheduler.
    """

    def __init__(self, server: ApiServer, name: str, *, deaf: bool = False) -> None:
        self.name = name
        self.dead = False
        self.deaf = deaf
        self.cut = False
        self.plan: Plan | None = None
        self.shown = ""
        self.dropped = ""
        self.history: list[tuple[float, str]] = []
        self._server = server
        self._api = server.connect(f"extender-{name}")
        self._clock = server.clock
        self._renewal: tuple[str, int] = ("", -1)
        self._changed_at = 0.0
        self._seen = 0
        self._held_since: float | None = None
        self._next_renewal = 0.0
        self._look()

    @property
    def holding(self) -> bool:
        """Whether it holds every pod: an empty plan is in force, and has been for less than 2 s."""
        blocked = self.plan is not None and self.plan.revision == 0 and self._held_since is not None
        return blocked and self._clock.monotonic() - (self._held_since or 0.0) < HOLDS_FOR

    def _look(self) -> None:
        if not self.dead:
            if not (self.deaf or self.cut):
                self._follow()
            self._expire()
            if self._clock.monotonic() >= self._next_renewal:
                self._renew()
        self._clock.call_after(LOOK_EVERY, self._look)

    def _follow(self) -> None:
        version = self._server.version
        if version == self._seen:  # nothing was written since the last look
            return
        self._seen = version
        found = self._server.find("planslots", "active", OWN)
        slot = None if found is None else decode_slot(found)
        plan = None
        if slot is not None and slot.plan is not None:
            if (slot.version or "", slot.renewal) != self._renewal:
                self._renewal, self._changed_at = (slot.version or "", slot.renewal), self._clock.monotonic()
            raw = self._server.find("placementplans", slot.plan, OWN)
            seen = None if raw is None else decode_plan(raw)
            if seen is not None and seen.version == slot.version and not seen.phase.ended:
                plan = seen if seen.version != self.dropped else None
        self._obey(plan)

    def _expire(self) -> None:
        if self.plan is not None and self._clock.monotonic() - self._changed_at >= DROPS_AFTER:
            self.dropped = self.plan.version
            self._obey(None)
            self._renew()
        self._say()

    def _obey(self, plan: Plan | None) -> None:
        before, self.plan = self.plan, plan
        version = "" if plan is None else plan.version
        if version != ("" if before is None else before.version):
            self.history.append((self._clock.now(), version))
            self._held_since = self._clock.monotonic() if plan is not None and plan.revision == 0 else None
            self._say()
            self._wake()

    def _say(self) -> None:
        """Say in the Lease which plan is obeyed, at once when that changes."""
        sure = self._clock.monotonic() - self._changed_at <= SURE_FOR
        word = self.plan.version if self.plan is not None and sure else ""
        if word != self.shown:
            self.shown = word
            self._renew()

    def _renew(self) -> None:
        self._next_renewal = self._clock.monotonic() + RENEW_EVERY
        if self.cut:
            return
        notes = {"bayplan.dev/plan": self.shown, "bayplan.dev/plan-dropped": self.dropped}
        meta: Raw = {"annotations": notes}
        body: Raw = {"metadata": meta, "spec": {"renewTime": str(self._clock.now())}}
        base = f"/apis/coordination.k8s.io/v1/namespaces/{OWN}/leases"
        name = f"bayplan-extender-{self.name}"
        try:
            try:
                self._api.request("PATCH", f"{base}/{name}", body=body, content_type=_MERGE)
            except NotFound:
                whole = body | {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
                self._api.request("POST", base, body=whole | {"metadata": meta | {"name": name, "namespace": OWN}})
        except ApiError:
            return

    def _wake(self) -> None:
        """Wake what was refused, by a change of a node: the fake scheduler then asks again for everybody."""
        for raw in self._server.all("nodes")[:1]:
            notes = {"metadata": {"annotations": {"test/woken": str(self._clock.now())}}}
            path = f"/api/v1/nodes/{raw['metadata']['name']}"
            self._server.request("PATCH", path, body=notes, content_type=_MERGE)


@dataclass
class Scheduler:
    """Binds pending pods where they fit by requests and the first living replica lets them go; off while `paused`."""

    extenders: Mapping[str, FakeReplica] = field(default_factory=dict)
    paused: bool = False

    def react(self, change: Change, writer: Writer) -> None:
        """Bind what can be bound now."""
        if change.kind not in {PODS, _NODES} or self.paused:
            return
        for raw in list(writer.store.all(PODS)):
            self._consider(raw, writer)

    def _consider(self, raw: Raw, writer: Writer) -> None:
        current = writer.store.get(PODS, key_of(raw))
        if current is None or current["spec"].get("nodeName") or "deletionTimestamp" in current["metadata"]:
            return
        pods = [decode_pod(one) for one in writer.store.all(PODS)]
        pod = decode_pod(current)
        fitting = [node.name for node in map(decode_node, writer.store.all(_NODES)) if _fits(pod, node, pods)]
        allowed = self._allowed(pod, pods, fitting)
        if allowed:
            writer.bind(key_of(raw), allowed[0])
            return
        status = current.get("status") or {}
        refused = with_condition(status, "PodScheduled", "False", at=writer.clock.now(), reason="Unschedulable")
        writer.store.replace(PODS, current | {"status": refused})

    def _allowed(self, pod: Pod, pods: list[Pod], nodes: list[str]) -> list[str]:
        replica = next((one for one in self.extenders.values() if not one.dead), None)
        if replica is None or replica.plan is None:
            return nodes
        if replica.plan.revision == 0:
            return [] if replica.holding else nodes
        planned = _planned(replica.plan, pod, pods)
        return sorted(planned & {*nodes}) if planned else _unreserved(replica.plan, pods, nodes)


def _fits(pod: Pod, node: Node, pods: list[Pod]) -> bool:
    """Tell whether a node has room: kube-scheduler asks extenders about such nodes only."""
    room = node.allocatable - total(other.requests for other in pods if other.node == node.name and not other.ended)
    return not pod.requests.lacking(room)


def _planned(plan: Plan, pod: Pod, pods: list[Pod]) -> set[str]:
    if pod.uid in plan.pins:
        return {str(plan.pins[pod.uid].target)}
    kind = kind_of(pod)
    return {place.node for place, count in remaining(plan, pods).items() if place.kind == kind and count > 0}


def _unreserved(plan: Plan, pods: list[Pod], nodes: list[str]) -> list[str]:
    """Keep off nodes to which somebody of the plan is still to come: rougher than the real arithmetic."""
    coming = Counter({place.node: count for place, count in remaining(plan, pods).items()})
    bound = {one.uid for one in pods if one.node is not None}
    coming.update(str(entry.target) for uid, entry in plan.pins.items() if uid not in bound)
    return [node for node in nodes if not coming[node]]
