"""What the active plan means to one pod now: where it is awaited, whether it is held, what is closed to it."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from policies.plans.claims import Claim, Claims, claim_place, claim_room
from policies.plans.company import barred
from policies.plans.force import PlanInForce
from policies.plans.quotas import Kind, Place
from policies.plans.reservations import NO_AMOUNTS, Amounts, Whom
from policies.values.nodes import Node
from policies.values.plans import Plan
from policies.values.pods import Pod
from policies.values.resources import Resources, total


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSight:
    """One pod under the active plan.

    `awaited` counts the pods like it that are still to come, by node; `open` only those whose place nobody else has
    claimed. `held` tells that it has to wait.
    """

    pod: Pod
    force: PlanInForce
    claims: Claims
    nodes: Mapping[str, Node] = field(default_factory=dict)
    whom: Whom | None = None
    awaited: Mapping[str, int] = field(default_factory=dict)
    open: Mapping[str, int] = field(default_factory=dict)
    held: bool = False

    @property
    def plan(self) -> Plan:
        """The plan that is in force."""
        return self.force.plan

    @property
    def planned(self) -> bool:
        """Whether there is a place for this very pod in the plan; else it is like any other."""
        return bool(self.open)

    def destination(self, offered: Container[str]) -> str | None:
        """Return the one node that a planned pod goes to; None where none of its own is offered.

        What it has claimed already or is nominated to comes first, so that asking again changes nothing; then the
        node where most are still to come, which keeps pods that ask at once apart.
        """
        among = [name for name in self.open if name in offered]
        claim = self.claims.of(self.pod.uid)
        claimed = None if claim is None or claim.place is None else claim.place.node
        for name in (claimed, self.pod.nominated_node):
            if name in among:
                return name
        return min(among, key=lambda name: (-self.open[name], name), default=None)

    def closed(self, offered: Container[str]) -> list[str]:
        """Return the nodes offered whose promises the pod would break."""
        return [name for name in self.force.promised if name in offered and self.closes(name)]

    def closes(self, node: str, *, victims: Iterable[Pod] = ()) -> bool:
        """Tell whether the pod would use up what is promised on a node, even once some victims have left it.

        A place that another pod of its kind has claimed is that one's: both would count, and one is wanted.
        """
        reserve = self.force.promised.get(node)
        if reserve is None or node in self.awaited:
            return reserve is not None
        room, freed = reserve.room(self.pod.priority), self._freed(victims, node)
        return room.closed_to(self.pod, claimed=self.claims.on(node), freed=freed)

    def kept_by_claims(self, closed: Iterable[str]) -> list[str]:
        """Return of some nodes closed to the pod those that only others' claims keep from it.

        For a planned pod these are the places of its own that others have claimed, offered to it now or not.
        """
        if self.planned:
            return [name for name in self.awaited if name not in self.open]
        reserves = ((name, self.force.promised[name]) for name in closed)
        return [
            name
            for name, reserve in reserves
            if name in self.awaited
            or not reserve.room(self.pod.priority).closed_to(self.pod, freed=self._own_nomination(name))
        ]

    def barred(self, offered: Iterable[str]) -> list[str]:
        """Return the nodes offered where the pod would shut a planned one out by required anti-affinity."""
        return barred(self.pod, offered, self.force, self.nodes)

    def claim(self, passed: Container[str], *, now: float) -> Claim | None:
        """Return what the pod claims once it was told that it may go to these nodes (monotonic seconds)."""
        if self.planned:
            node, whom = self.destination(passed), self.whom
            # A bare pod needs none: nobody else can take its place.
            return claim_place(self.pod, Place(whom, node), now=now) if node and isinstance(whom, Kind) else None
        # Where it is nominated it counts already.
        nodes = [name for name in self.force.promised if name in passed and not self._own_nomination(name)]
        return claim_room(self.pod, nodes, now=now) if nodes else None

    def _freed(self, victims: Iterable[Pod], node: str) -> Amounts:
        """Return what a node is rid of without some pods, and without the pod's own claim and nomination.

        Pods that the plan takes away count as gone already.
        """
        own, nominated = self.claims.own(self.pod.uid, node), self._own_nomination(node)
        more = [pod.requests for pod in victims if pod.uid not in self.force.leaving]
        if not more and not nominated:
            return own
        return total([*more, Resources(own), Resources(nominated)]).amounts

    def _own_nomination(self, node: str) -> Amounts:
        """Return what the pod itself counts as one that is nominated to a node, by what our watch has told last."""
        for pod in self.force.promised[node].nominated:
            if pod.uid == self.pod.uid:
                return pod.requests.amounts
        return NO_AMOUNTS


def look(pod: Pod, force: PlanInForce, claims: Claims, *, nodes: Mapping[str, Node], held: bool = False) -> PlanSight:
    """Return what the plan means to a pod now."""
    whom, awaited = force.whom(pod), force.places(pod)
    left = {node: count - _taken(whom, node, claims, beside=pod.uid) for node, count in awaited.items()}
    unclaimed = {node: count for node, count in left.items() if count > 0}
    return PlanSight(
        pod=pod,
        force=force,
        claims=claims,
        nodes=nodes,
        whom=whom,
        awaited=awaited,
        open=unclaimed,
        held=held and not unclaimed,
    )


def _taken(whom: Whom | None, node: str, claims: Claims, *, beside: str) -> int:
    return claims.taken(Place(whom, node), beside=beside) if isinstance(whom, Kind) else 0
