"""What the active plan has promised of a node, and what it leaves there to a pod that it does not place.

    room(priority) = allocatable - pods that stay - pods nominated here - promises

A victim of the plan counts as gone although it still runs: its room is promised. Promises and nominations count only
against pods of equal or lower priority; claims, which are not known here, come on top. Nobody is refused here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from policies.feasibility.host_ports import clash
from policies.plans.quotas import Kind, kind_among, live, place_of, wanted
from policies.values.nodes import Node
from policies.values.plans import Plan, PlanEntry, Quota
from policies.values.pods import HostPort, Pod
from policies.values.resources import NOTHING, Resources, total

Amounts: TypeAlias = Mapping[str, int]
# What a plan knows pods as: their kind, or the UID of a bare one.
Whom: TypeAlias = Kind | str
NO_AMOUNTS: Final[Amounts] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """Room for pods that are to come to a node: so many of them, each with these requests."""

    whom: Whom
    count: int
    priority: int
    requests: Resources = NOTHING
    host_ports: tuple[HostPort, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What a plan wants on one node, whoever stands there already: pods of a kind, and bare pods by UID."""

    quotas: tuple[Promise, ...] = ()
    pins: tuple[Promise, ...] = ()

    @property
    def promises(self) -> tuple[Promise, ...]:
        """All of it, kept or not."""
        return *self.quotas, *self.pins


NO_SHARE: Final = Share()


@dataclass(frozen=True, slots=True)
class Room:
    """What is left of a node for pods of one priority, by resource; only of those that are promised to somebody."""

    left: Amounts
    host_ports: tuple[HostPort, ...] = ()

    def closed_to(self, pod: Pod, *, claimed: Amounts = NO_AMOUNTS, freed: Amounts = NO_AMOUNTS) -> bool:
        """Tell whether the pod would use up what is promised.

        Others have claimed some of what is left, and some becomes free with the victims of a preemption.
        """
        left, wants = self.left, pod.requests.amounts
        for name, room in left.items():
            amount = wants.get(name)
            if amount and amount > room - claimed.get(name, 0) + freed.get(name, 0):
                return True
        return bool(self.host_ports) and ports_clash(pod.constraints.host_ports, self.host_ports)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserve:
    """One node under a plan: what is free of it once the victims are gone, and the promises that are still to keep."""

    free: Resources = NOTHING
    promises: tuple[Promise, ...] = ()
    nominated: tuple[Pod, ...] = ()
    _rooms: dict[int, Room] = field(default_factory=dict, init=False, repr=False, compare=False)

    def room(self, priority: int) -> Room:
        """Return what is left for pods of a priority."""
        room = self._rooms.get(priority)
        if room is None:
            room = self._rooms[priority] = self._room(priority)
        return room

    def _room(self, priority: int) -> Room:
        promises = [promise for promise in self.promises if promise.priority >= priority]
        promised = total(times(promise.requests, promise.count) for promise in promises)
        waiting = total(pod.requests for pod in self.nominated if pod.priority >= priority)
        left = {
            name: self.free[name] - amount - waiting[name] for name, amount in promised.amounts.items() if amount > 0
        }
        return Room(left, tuple(port for promise in promises for port in promise.host_ports))


def times(requests: Resources, count: int) -> Resources:
    """Return the requests of several pods alike."""
    return Resources({name: amount * count for name, amount in requests.amounts.items()})


def ports_clash(mine: Iterable[HostPort], theirs: Iterable[HostPort]) -> bool:
    """Tell whether any two ports cannot both be taken on one node."""
    others = tuple(theirs)
    return any(clash(one, other) for one in mine for other in others)


def shares(plan: Plan) -> Mapping[str, Share]:
    """Return what the plan wants, by node."""
    counts, found = wanted(plan), dict[str, Share]()
    for place, quota in {place_of(quota): quota for quota in plan.quotas}.items():
        share = found.get(place.node, NO_SHARE)
        found[place.node] = replace(share, quotas=(*share.quotas, _of_kind(place.kind, counts[place], quota)))
    for uid, entry in plan.pins.items():
        share = found.get(entry.target or "", NO_SHARE)
        found[entry.target or ""] = replace(share, pins=(*share.pins, _of_pod(uid, entry)))
    return found


def _of_kind(kind: Kind, count: int, quota: Quota) -> Promise:
    return Promise(whom=kind, count=count, priority=quota.priority, requests=kind.requests, host_ports=quota.host_ports)


def _of_pod(uid: str, entry: PlanEntry) -> Promise:
    return Promise(whom=uid, count=1, priority=entry.priority, requests=entry.requests, host_ports=entry.host_ports)


def reserve(
    share: Share,
    node: Node | None,
    pods: Mapping[str, Pod],
    *,
    leaving: frozenset[str],
    nominated: Iterable[Pod] = (),
) -> Reserve:
    """Return how one node stands under a plan; `pods` are those on it by UID, `nominated` those that wait for it.

    A node that is not known has nothing to give.
    """
    staying = {uid: pod for uid, pod in pods.items() if uid not in leaving and not pod.ended}
    room = NOTHING if node is None else node.allocatable
    promises = (*_quotas_left(share, staying), *(pin for pin in share.pins if pin.whom not in pods))
    return Reserve(
        free=room - total(pod.requests for pod in staying.values()),
        promises=promises,
        nominated=tuple(nominated),
    )


def _quotas_left(share: Share, staying: Mapping[str, Pod]) -> Iterator[Promise]:
    controllers = {quota.whom.controller for quota in share.quotas if isinstance(quota.whom, Kind)}
    present: Counter[Whom | None] = Counter(kind_among(pod, controllers) for pod in staying.values() if live(pod))
    for quota in share.quotas:
        left = quota.count - present[quota.whom]
        if left > 0:
            yield replace(quota, count=left)
