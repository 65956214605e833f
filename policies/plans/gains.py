"""What is left of a plan when somebody whom it places is there no more: nobody gives way for him alone; asks no rail.

Pods of a kind are as good as each other, and so are their places: which of them nobody comes to is chosen here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from policies.plans.lessening import Loss, without
from policies.plans.quotas import Place, place_for
from policies.plans.tallies import Tally, tallies
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanEntry
from policies.values.workloads import WorkloadRef

_RELIEF: Final = "relief"
NOBODY: Final = "nobody waits any more for what the plan makes room for"


def in_vain(plan: Plan, step: PlanEntry, cluster: Cluster, *, left: Plan | None = None) -> str | None:
    """Say why a step is for nobody: all were scaled away or deleted, or those for whom its node is cleared.

    `left` is what `still_wanted` says, for those who know already.
    """
    left = still_wanted(plan, cluster) if left is None else left
    if step.uid in {entry.uid for entry in left.disruptions}:
        return None
    if not any(_stands(entry, cluster) for entry in left.disruptions):
        return NOBODY
    return f"nobody waits any more for what {step} makes room for on {step.source}"


def left_by_itself(plan: Plan, step: PlanEntry, cluster: Cluster) -> bool:
    """Tell whether a step has happened without anybody evicting: its pod was scaled away."""
    if step.controller is None or _stands(step, cluster):
        return False
    counted = tallies(plan, cluster).get(step.controller)
    return counted is not None and counted.grown < 0


def still_wanted(plan: Plan, cluster: Cluster, *, counted: Mapping[WorkloadRef, Tally] | None = None) -> Plan:
    """Return the plan without those who come no more, and without the steps that make room for nobody else.

    It is the plan itself while everybody is to come. Each step is then taken to be for somebody, since one may also
    leave a domain for others; once somebody is gone, a step must lead to the node of one who is not. A plan that places
    nobody has other gains, and so have the steps of a relief. `counted` are its tallies, for those who have them.
    """
    counted = tallies(plan, cluster) if counted is None else counted
    gone = frozenset(uid for uid in plan.pins if uid not in cluster.pods or cluster.pods[uid].ended)
    if not gone and not any(tally.excused for tally in counted.values()):
        return plan
    ways = _Ways.of(plan, cluster)
    awaited = _awaited(counted, ways.standing)
    pinned = {entry.target or "" for uid, entry in plan.pins.items() if uid not in gone and _waits(uid, cluster)}
    kept = _kept(awaited, counted, ways, pinned)
    dropped = _dropped(plan, counted, ways, ways.reach({*pinned, *(place.node for place in kept)}))
    return without(plan, Loss(gone=gone, fallen=awaited - kept, dropped=dropped), counted)


def _stands(entry: PlanEntry, cluster: Cluster) -> bool:
    pod = cluster.pods.get(entry.uid)
    return pod is not None and not pod.ended and not pod.terminating


def _waits(uid: str, cluster: Cluster) -> bool:
    return cluster.pods[uid].node is None


# ---------------------------------------------------------------------- who comes no more


@dataclass(frozen=True, slots=True)
class _Ways:
    """The steps of a plan whose pods still stand, and by node: the first of them, where they lead, how many there are.

    By node, as the price of every place is asked after every choice: that is forty thousand times for 200 places.
    """

    standing: Sequence[PlanEntry]
    first: Mapping[str, int]
    onward: Mapping[str, Sequence[str]]
    still: Counter[str]
    all: Counter[str]

    @staticmethod
    def of(plan: Plan, cluster: Cluster) -> "_Ways":
        standing = tuple(entry for entry in plan.disruptions if _stands(entry, cluster))
        first, onward = dict[str, int](), dict[str, list[str]]()
        for at, entry in enumerate(standing):
            first.setdefault(entry.source or "", at)
            onward.setdefault(entry.source or "", []).extend([entry.target] if entry.target else [])
        still, everyone = (Counter(entry.source or "" for entry in steps) for steps in (standing, plan.disruptions))
        return _Ways(standing, first, onward, still, everyone)

    def reach(self, nodes: Iterable[str]) -> set[str]:
        """Return the nodes that must be cleared for whoever comes to these: they, and where those go who make room."""
        found, more = set[str](), set(nodes)
        while more:
            found |= more
            more = {target for node in more for target in self.onward.get(node, ())} - found
        return found

    def price(self, node: str, cleared: set[str]) -> tuple[int, int, int, str]:
        """Return what it costs to await somebody on a node, beside those that are cleared anyway; the least is best.

        Fewest evictions that are still to come, then most that have happened, then those that come first.
        """
        more = self.reach({node}) - cleared
        to_come = sum(self.still[each] for each in more)
        done = sum(self.all[each] for each in more) - to_come
        return to_come, -done, min((self.first[each] for each in more if each in self.first), default=0), node


def _awaited(counted: Mapping[WorkloadRef, Tally], standing: Sequence[PlanEntry]) -> Counter[Place]:
    """Return how many pods are to come to each place, without those whose predecessors have not left yet."""
    missing = Counter[Place]()
    for tally in counted.values():
        missing.update(tally.missing)
    missing.subtract(place for entry in standing if (place := place_for(entry)) is not None)
    return +missing


def _kept(
    awaited: Counter[Place], counted: Mapping[WorkloadRef, Tally], ways: _Ways, pinned: Iterable[str]
) -> Counter[Place]:
    """Return the places to which somebody still comes: of a kind that has lost pods those that cost least.

    Where those of one controller are of several kinds, nobody knows which of them are gone. Each kind is then taken to
    have lost them all: nobody is evicted in doubt.
    """
    lost = {controller: tally.excused for controller, tally in counted.items()}
    kept = Counter({place: count for place, count in awaited.items() if not lost[place.kind.controller]})
    cleared = ways.reach({*pinned, *(place.node for place in kept)})
    for of in dict.fromkeys(place.kind for place in awaited if lost[place.kind.controller]):
        open_places = {place.node: count for place, count in awaited.items() if place.kind == of}
        leads = {node: ways.reach({node}) for node in open_places}
        prices = {node: ways.price(node, cleared) for node in open_places}
        for _ in range(sum(open_places.values()) - lost[of.controller]):
            best = min(prices, key=prices.__getitem__)
            kept[Place(of, best)] += 1
            open_places[best] -= 1
            fresh = leads[best] - cleared
            cleared |= fresh
            if not open_places[best]:
                del prices[best]
            for node in prices if fresh else ():
                if not fresh.isdisjoint(leads[node]):  # of all others the price is as it was
                    prices[node] = ways.price(node, cleared)
    return kept


def _dropped(plan: Plan, counted: Mapping[WorkloadRef, Tally], ways: _Ways, cleared: set[str]) -> tuple[PlanEntry, ...]:
    """Return the steps that are for nobody any more."""
    gains = [entry for entry in plan.entries if entry.source is None]
    if not gains:
        return ()
    if plan.trigger != _RELIEF:
        return tuple(entry for entry in ways.standing if entry.source not in cleared)
    placed = Counter(entry.controller for entry in gains)
    left = any(
        controller is None or counted[controller].excused < count  # a bare pod that is lost ends the plan anyway
        for controller, count in placed.items()
    )
    return () if left else tuple(ways.standing)
