"""Claims: what was approved of planned nodes and is not seen bound yet, as no Reserve reaches an extender.

A planned pod claims one place, any other its requests on every node with promises that it was allowed to go to. Host
ports and the like need no claim: kube-scheduler keeps two pods that it places apart by itself. Times are monotonic
seconds and told, as are the events that end a claim.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from policies.plans.quotas import Place
from policies.plans.reservations import NO_AMOUNTS, Amounts
from policies.values.pods import Pod
from policies.values.resources import Resources

# From an approval to the bind that the watch shows takes milliseconds; whoever needs longer asks again.
LIVES_FOR: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One pod's approval, with the pod as it asked.

    `place` is a planned pod's; `nodes` are those where any other may use what is left.
    """

    pod: Pod
    until: float
    place: Place | None = None
    nodes: frozenset[str] = frozenset()

    @property
    def uid(self) -> str:
        """Whose it is."""
        return self.pod.uid

    @property
    def spots(self) -> frozenset[str]:
        """The nodes that it keeps others from."""
        return self.nodes if self.place is None else frozenset({self.place.node})

    @property
    def requests(self) -> Resources:
        """What it takes of each of the nodes."""
        return self.pod.requests

    def awaits(self, pod: Pod) -> bool:
        """Tell whether the pod, planned, is nominated to the place it claimed: a bind that takes time is on its way."""
        return self.place is not None and pod.nominated_node == self.place.node

    def failed(self, pod: Pod) -> bool:
        """Tell whether the attempt is over, as the pod shows another condition or nomination than when it asked.

        What an attempt before it brought is in the pod that kube-scheduler asks about, and may reach us later.
        """
        return _outcome(pod) != _outcome(self.pod)


def _outcome(pod: Pod) -> tuple[object, ...]:
    return pod.unscheduled, pod.unschedulable_since, pod.nominated_node


def claim_place(pod: Pod, place: Place, *, now: float) -> Claim:
    """Return the claim of a planned pod."""
    return Claim(pod=pod, until=now + LIVES_FOR, place=place)


def claim_room(pod: Pod, nodes: Iterable[str], *, now: float) -> Claim:
    """Return the claim of any other pod on the nodes with promises among those approved."""
    return Claim(pod=pod, until=now + LIVES_FOR, nodes=frozenset(nodes))


@dataclass(slots=True)
class _Pile:
    """What is claimed of one node, by whom."""

    claims: dict[str, Claim] = field(default_factory=dict)
    amounts: dict[str, int] = field(default_factory=dict)

    def add(self, requests: Resources, sign: int) -> None:
        """Count requests in, or out with a negative sign; two hundred times for each pod that asks."""
        amounts = self.amounts
        for name, amount in requests.amounts.items():
            amounts[name] = amounts.get(name, 0) + sign * amount


class Claims:
    """All claims. Whoever uses it sees to it that one call is over before the next begins."""

    def __init__(self) -> None:
        self._by_pod: dict[str, Claim] = {}
        self._piles: dict[str, _Pile] = {}
        self._places: Counter[Place] = Counter()

    def __len__(self) -> int:
        return len(self._by_pod)

    def of(self, uid: str) -> Claim | None:
        """Return a pod's claim."""
        return self._by_pod.get(uid)

    def put(self, claim: Claim) -> None:
        """Take in a claim, in place of the pod's last one."""
        self.drop(claim.uid)
        self._by_pod[claim.uid] = claim
        if claim.place is not None:
            self._places[claim.place] += 1
        for node in claim.nodes:
            pile = self._piles.setdefault(node, _Pile())
            pile.claims[claim.uid] = claim
            pile.add(claim.requests, 1)

    def drop(self, uid: str) -> Claim | None:
        """Forget a pod's claim: it is bound, nominated or gone, its attempt has failed, or it asks again."""
        claim = self._by_pod.pop(uid, None)
        if claim is None:
            return None
        if claim.place is not None:
            self._places[claim.place] -= 1
        for node in claim.nodes:
            pile = self._piles[node]
            del pile.claims[uid]
            pile.add(claim.requests, -1)
            if not pile.claims:
                del self._piles[node]
        return claim

    def expire(self, now: float) -> list[Claim]:
        """Forget the claims whose time is up, and return them."""
        over = [uid for uid, claim in self._by_pod.items() if claim.until <= now]
        return [claim for uid in over if (claim := self.drop(uid)) is not None]

    def on(self, node: str) -> Amounts:
        """Return what unplanned pods have claimed of a node."""
        pile = self._piles.get(node)
        return NO_AMOUNTS if pile is None else pile.amounts

    def own(self, uid: str, node: str) -> Amounts:
        """Return what of that is a pod's own claim, which is void when it asks again."""
        own = self._by_pod.get(uid)
        return NO_AMOUNTS if own is None or node not in own.nodes else own.requests.amounts

    def taken(self, place: Place, *, beside: str = "") -> int:
        """Return how many planned pods, without the one asking, have claimed a place."""
        own = self._by_pod.get(beside)
        return self._places[place] - (own is not None and own.place == place)

    def by_node(self) -> Mapping[str, int]:
        """Return how many unplanned pods have claimed something of each node."""
        return {node: len(pile.claims) for node, pile in self._piles.items()}
