"""Where a candidate's replacement is expected to go: nodes that can take it, stay afloat with it, and gain by it.

A node that is not measured in full, that is in trouble or from which the workload was just taken is no destination,
and the source never is. The rest is ranked by the headroom that would be left. No room is counted that a victim of the
same cycle would free.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from policies.buoyancy.moves import UNCOUNTABLE_MARGIN
from policies.buoyancy.tolerance import below
from policies.feasibility.outlook import Outlook, look_ahead
from policies.feasibility.predicate import Closure
from policies.feasibility.predicates import Sieve, sift
from policies.feasibility.prospects import Moves, prospects
from policies.feasibility.rows import Mask
from policies.placement.steering import steered_nodes
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal
from policies.values.signals import Floats
from policies.values.standings import NodeStanding

NO_DESTINATION: Final = "no-destination"
NO_USEFUL_MOVE: Final = "no-useful-move"
_NAMED: Final = 3  # nodes that a refusal names one by one; the others are counted


@dataclass(frozen=True, slots=True)
class Destination:
    """A node and the headroom `O_m` it would have with the pod (buoyancy, where the filter counts slack)."""

    node: str
    headroom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a look at all nodes but the source gave.

    `ranked` are the destinations, most headroom first. `closed` counts the nodes that kube-scheduler would not take,
    `useless` those that it would and that a move would not help, each by its deciding reason. `afterwards` are the
    measured ones of the latter, most headroom first, up to the three that a refusal names.
    """

    ranked: tuple[Destination, ...] = ()
    closed: Counter[str]
    useless: Counter[str]
    afterwards: tuple[Destination, ...] = ()

    def refusal(self) -> Refusal | None:
        """Return why there is no destination, None where there is one."""
        if self.ranked:
            return None
        if self.useless:
            return Refusal(NO_USEFUL_MOVE, self._pointless())
        others = self.closed.total()
        reasons = _counted(self.closed) if others else "there is no other node"
        return Refusal(
            NO_DESTINATION, f"0 usable destinations of {others}: {reasons}; the only feasible node is the source"
        )

    def _pointless(self) -> str:
        fits = self.useless.total()
        text = f"no useful move: {fits} of {fits + self.closed.total()} nodes could take it: {_counted(self.useless)}"
        if self.afterwards:
            text += f"; buoyancy with it: {', '.join(f'{each.node} {each.headroom:.2f}' for each in self.afterwards)}"
        return f"{text}; not feasible: {_counted(self.closed)}" if self.closed else text


def destinations(
    candidate: Candidate, situation: Situation, *, standings: Mapping[str, NodeStanding], troubled: Collection[str]
) -> Search:
    """Return the destinations of one candidate, looked up for it alone."""
    return search(candidate, look_ahead(situation, standings, troubled))


def search(candidate: Candidate, outlook: Outlook, *, only: str | None = None) -> Search:
    """Return which nodes are destinations of a candidate: of all but its own, or of a single one."""
    rows = outlook.occupancy.rows
    among = ~rows.named([candidate.node]) if only is None else rows.named([only]) & ~rows.named([candidate.node])
    can_take = sift(candidate.pod, outlook.occupancy, among=among)
    useful = Sieve.over(can_take.open)
    for closure in _unfit(candidate, outlook):
        useful.close(closure.rows, closure.reason)
    measured, headroom = useful.open.copy(), np.zeros(len(rows.nodes))
    if measured.any():
        headroom = _weigh(candidate, outlook, useful)
    return Search(
        ranked=_ranked(useful.open, headroom, outlook),
        closed=can_take.reasons,
        useless=useful.reasons,
        afterwards=_ranked(measured & ~useful.open, headroom, outlook, most=_NAMED),
    )


def _unfit(candidate: Candidate, outlook: Outlook) -> Iterator[Closure]:
    """Yield the nodes that are no destination whatever the pod takes."""
    rows, situation = outlook.occupancy.rows, outlook.situation
    if candidate.node not in outlook.measured:
        yield Closure("source not measured in full", rows.where(lambda _node: True))
    yield Closure("not measured in full", ~outlook.whole)
    yield Closure("in trouble", rows.named(outlook.troubled))
    records = situation.view.records_of.get(situation.ref(candidate), ())
    steered = steered_nodes(records, now=situation.now, avoid_source=situation.policy.steering.avoid_source)
    yield Closure("recently evicted from there", rows.named(steered))
    yield Closure("expects a pod of unknown size", rows.named(outlook.unsized))


def _weigh(candidate: Candidate, outlook: Outlook, useful: Sieve) -> Floats:
    """Close the nodes that the move would not help; return the headroom of all with the pod."""
    policy, moves = outlook.situation.policy, outlook.moves(candidate)
    keep = policy.buoyancy.filter_below
    after = prospects(moves, keep=keep)
    slack_counts = policy.buoyancy.include_slack == "filter"
    headroom = np.minimum(after.headroom, outlook.slack) if slack_counts else after.headroom
    useful.close(below(headroom, keep), f"less than {keep:g} left")
    useful.close(_unseen(moves, candidate, outlook), "waits for samples of an earlier move")
    useful.close(~after.fits, f"not {UNCOUNTABLE_MARGIN:g} more than {keep:g} beforehand")
    if policy.eviction.net_gain == "required":
        useful.close(~after.gains, "no net gain")
    return headroom


def _unseen(moves: Moves, candidate: Candidate, outlook: Outlook) -> Mask:
    """Return the nodes where the effect of an earlier move cannot be computed and no sample shows it yet.

    With a resource that does not add up, a destination takes one pod, and a source gives one, until the next samples.
    """
    rows = outlook.occupancy.rows
    if candidate.node in outlook.giving and moves.contested not in moves.pod:
        return rows.where(lambda _node: True)
    uncountable = [np.isfinite(scores) for name, scores in moves.destinations.items() if name not in moves.pod]
    return rows.named(outlook.expecting) & np.logical_or.reduce(uncountable) if uncountable else rows.named(())


def _ranked(mask: Mask, headroom: Floats, outlook: Outlook, *, most: int | None = None) -> tuple[Destination, ...]:
    """Return destinations, most headroom first; of equals by name, as rows are."""
    rows = np.flatnonzero(mask)
    order = rows[np.argsort(-headroom[rows], kind="stable")]
    nodes = outlook.occupancy.rows.nodes
    return tuple(Destination(nodes[row].name, float(headroom[row])) for row in order[:most].tolist())


def _counted(reasons: Counter[str]) -> str:
    """Return the reasons with their counts, the most frequent first."""
    return ", ".join(f"{count} {why}" for why, count in sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
