"""How far a plan got, whether it is complete, and what ends it early; all of it read from the cluster.

Complete is a plan whose wanted pods are bound, an absolute number: that nobody waits says nothing right after an
eviction, when the replacement does not exist yet.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from policies.feasibility.node_state import why_unusable
from policies.plans.bypass import unexplained
from policies.plans.gains import still_wanted
from policies.plans.owners import rollout
from policies.plans.quotas import place_for
from policies.plans.tallies import Tally, tallies
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanEntry, PlanProgress
from policies.values.workloads import WorkloadRef

_NEEDED: Final = frozenset({kinds.NODES, kinds.PODS})
_NAMED: Final = 3  # things waited for that a reason names one by one; the others are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What of a plan has happened. `counts` is for its status.

    `standing` are the victims that nobody has evicted yet, `ending` those that terminate. `waiting` says in sentences
    what is missing. `abort` is why the plan must end at once, None where it may go on.
    """

    counts: PlanProgress
    standing: tuple[PlanEntry, ...] = ()
    ending: tuple[PlanEntry, ...] = ()
    waiting: tuple[str, ...] = ()
    abort: str | None = None

    @property
    def done(self) -> bool:
        """Whether everything has happened that still can."""
        return not self.waiting

    @property
    def missing(self) -> str:
        """Return what is waited for, as the reason of a plan that ran out of time."""
        named = "; ".join(self.waiting[:_NAMED])
        more = len(self.waiting) - _NAMED
        return f"{named}; and {more} more" if more > 0 else named


def progress(plan: Plan, now: Cluster, *, before: Cluster | None = None) -> Progress:
    """Return how far a plan got. `before` is the state that it was validated on, None where nobody knows it any more.

    Without it rollouts are not seen, nor is who took what the plan reserves. Where pods or nodes could not be read
    nothing is known: nobody has gone or come then, and nothing but a person ends the plan.
    """
    unread = tuple(f"{kind}: {cause}" for kind, cause in now.unreadable.items() if kind in _NEEDED)
    if unread:
        waiting = tuple(f"could not be read: {each}" for each in unread)
        return Progress(counts=plan.progress, standing=plan.disruptions, waiting=waiting, abort=_wish(plan))
    planned = tallies(plan, now)
    # Whoever was scaled away takes the steps with him that are for nobody else: what is left is what is waited for.
    left = still_wanted(plan, now, counted=planned)
    counted = planned if left is plan else tallies(left, now)
    standing = tuple(entry for entry in left.disruptions if _runs(entry, now, terminating=False))
    return Progress(
        counts=_counts(plan, now, planned),
        standing=standing,
        ending=tuple(entry for entry in left.disruptions if _runs(entry, now, terminating=True)),
        waiting=(
            *(f"{entry} still runs on {entry.source}" for entry in standing),
            *(f"{entry} is not bound to {entry.target}" for entry in _unbound(plan, now)),
            *(reason for tally in counted.values() if not tally.settled for reason in _unsettled(tally)),
        ),
        abort=next(_aborts(plan, left, counted, before=before, now=now), None),
    )


def deadline(plan: Plan, evicted_at: Mapping[str, float], *, since: float, realise_within: float) -> float:
    """Return when a plan runs out of time: `realise_within` after the last victim's grace period.

    `evicted_at` is when each victim's eviction was accepted, by UID; `since` when the realisation began. All are
    seconds of one clock.
    """
    graces = {entry.uid: entry.grace_seconds for entry in plan.disruptions}
    ends = (at + graces[uid] for uid, at in evicted_at.items() if uid in graces)
    return max(since, *ends, since) + realise_within


# ---------------------------------------------------------------------- what is missing


def _runs(entry: PlanEntry, now: Cluster, *, terminating: bool) -> bool:
    pod = now.pods.get(entry.uid)
    return pod is not None and not pod.ended and pod.terminating is terminating


def _unbound(plan: Plan, now: Cluster) -> Iterator[PlanEntry]:
    """Yield the bare pods that do not stand where the plan wants them; one that has run there and ended did."""
    for uid, entry in plan.pins.items():
        pod = now.pods.get(uid)
        if pod is None or pod.node != entry.target:
            yield entry


def _unsettled(tally: Tally) -> Iterator[str]:
    for place, count in sorted(tally.missing.items(), key=lambda each: each[0].node):
        wanted = tally.wanted[place]
        yield f"pods of {tally.controller} on {place.node}: {wanted - count} of {wanted}"
    if not tally.missing:  # as many as are missing wait, too: that is said already
        yield f"pods of {tally.controller} that wait for a node: {tally.pending}, expected {tally.may_wait}"


def _counts(plan: Plan, now: Cluster, counted: Mapping[WorkloadRef, Tally]) -> PlanProgress:
    """Count what has happened: pods of a kind are as good as each other, so it is moves that are missing."""
    left = {place: count for tally in counted.values() for place, count in tally.missing.items()}
    unbound = {entry.uid for entry in _unbound(plan, now)}
    placed = moved = evicted = 0
    # Disruptions stand before placements, so that what is missing of a kind is taken off its moves.
    for entry in plan.entries:
        place = place_for(entry)
        if entry.target is None:
            evicted += not _runs(entry, now, terminating=False)
        elif place is None:
            placed += entry.uid not in unbound
        else:
            arrived = left.get(place, 0) == 0
            if not arrived:
                left[place] -= 1
            gone = entry.source is None or not _runs(entry, now, terminating=False)
            placed += arrived and entry.source is None
            moved += arrived and gone and entry.source is not None
    return PlanProgress(placed=placed, moved=moved, evicted=evicted)


# ---------------------------------------------------------------------- what ends it


def _aborts(
    plan: Plan, left: Plan, counted: Mapping[WorkloadRef, Tally], *, before: Cluster | None, now: Cluster
) -> Iterator[str]:
    """Yield why the plan must end, from what people want to what only follows; `counted` are the tallies of `left`."""
    wish = _wish(plan)
    if wish is not None:
        yield wish
    rolled = None if before is None else rollout(plan, before, now)
    if rolled is not None:
        yield rolled
    yield from _lost_nodes(plan, counted, now)
    yield from _lost_pods(plan, now)
    for tally in counted.values():
        if tally.misplaced > tally.may_wait:
            yield f"pods of {tally.controller} on nodes where the plan does not want them: {tally.misplaced}"
    taken = None if before is None else unexplained(left, before, now)
    if taken is not None:
        yield taken


def _wish(plan: Plan) -> str | None:
    return None if plan.abort is None else f"aborted by a person: {plan.abort or 'no reason given'}"


def _lost_nodes(plan: Plan, counted: Mapping[WorkloadRef, Tally], now: Cluster) -> Iterator[str]:
    """Yield the nodes that somebody is still to come to and that take nobody any more."""
    awaited = {place.node for tally in counted.values() if not tally.settled for place in tally.missing}
    awaited |= {entry.target or "" for entry in _unbound(plan, now)}
    for name in sorted(awaited):
        node = now.nodes.get(name)
        why = "gone" if node is None else why_unusable(node)
        if why is not None:
            yield f"node {name} is {why}"


def _lost_pods(plan: Plan, now: Cluster) -> Iterator[str]:
    """Yield the bare pods that cannot reach their node any more."""
    for entry in _unbound(plan, now):
        pod = now.pods.get(entry.uid)
        if pod is None or pod.terminating or pod.ended:
            yield f"{entry}, to be placed on {entry.target}, was deleted"
        elif pod.node is not None:
            yield f"{entry} was bound to {pod.node}, the plan places it on {entry.target}"
