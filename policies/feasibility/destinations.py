"""Where a candidate's replacement is expected to go: nodes that can take it, stay afloat with it, and gain by it.

A node that is not measured in full, that is in trouble or from which the workload was just taken is no destination,
and the source never is. The rest is ranked by the headroom that would be left. No room is counted that a victim of the
same cycle would free.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from policies.buoyancy.moves import UNCOUNTABLE_MARGIN, Consequence, Move, consequence
from policies.buoyancy.tolerance import below
from policies.feasibility.outlook import Outlook, look_ahead
from policies.feasibility.predicates import tests_of
from policies.placement.steering import steered_nodes
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.nodes import Node
from policies.values.refusals import Refusal
from policies.values.standings import NodeStanding

NO_DESTINATION = "no-destination"
NO_USEFUL_MOVE = "no-useful-move"
_NAMED = 3  # nodes that a refusal names one by one; the others are counted


@dataclass(frozen=True, slots=True, order=True)
class Destination:
    """A node and the headroom `O_m` it would have with the pod."""

    headroom: float
    node: str


@dataclass(slots=True, kw_only=True)
class Search:
    """What a look at all nodes but the source gave.

    `ranked` are the destinations, most headroom first. `closed` counts the nodes that kube-scheduler would not take,
    `useless` those that it would and that a move would not help, each by its deciding reason. `afterwards` are the
    latter's headroom with the pod, as far as it is known.
    """

    candidate: Candidate
    ranked: list[Destination] = field(default_factory=list)
    closed: Counter[str] = field(default_factory=Counter)
    useless: Counter[str] = field(default_factory=Counter)
    afterwards: list[Destination] = field(default_factory=list)

    def refusal(self) -> Refusal | None:
        """Return why there is no destination, None where there is one."""
        if self.ranked:
            return None
        if not self.useless:
            return Refusal(NO_DESTINATION, self._nowhere())
        return Refusal(NO_USEFUL_MOVE, self._pointless())

    def _nowhere(self) -> str:
        others = self.closed.total()
        if not others:
            return "0 usable destinations: there is no other node; the only feasible node is the source"
        reasons = _counted(self.closed)
        return f"0 usable destinations of {others}: {reasons}; the only feasible node is the source"

    def _pointless(self) -> str:
        fits = self.useless.total()
        text = f"no useful move: {fits} of {fits + self.closed.total()} nodes could take it, {_counted(self.useless)}"
        if self.afterwards:
            best = sorted(self.afterwards, key=_rank)
            named = ", ".join(f"{each.node} {each.headroom:.2f}" for each in best[:_NAMED])
            more = f" and {len(best) - _NAMED} more" if len(best) > _NAMED else ""
            text += f"; buoyancy with it: {named}{more}"
        return f"{text}; not feasible: {_counted(self.closed)}" if self.closed else text


def destinations(
    candidate: Candidate, situation: Situation, *, standings: Mapping[str, NodeStanding], troubled: Collection[str]
) -> Search:
    """Return the destinations of one candidate, looked up for it alone."""
    return search(candidate, look_ahead(situation, standings, troubled))


def search(candidate: Candidate, outlook: Outlook) -> Search:
    """Return the destinations of a candidate in an outlook."""
    nodes = outlook.situation.cluster.nodes.values()
    return look_at(candidate, (node for node in nodes if node.name != candidate.node), outlook)


def look_at(candidate: Candidate, nodes: Iterable[Node], outlook: Outlook) -> Search:
    """Return which of some nodes are destinations of a candidate."""
    found = Search(candidate=candidate)
    tests = tests_of(candidate.pod, outlook.occupancy)
    steered = _steered(candidate, outlook.situation)
    for node in nodes:
        why = next((words for test in tests if (words := test(node)) is not None), None)
        if why is not None:
            found.closed[why] += 1
        else:
            _weigh(node.name, found=found, outlook=outlook, steered=steered)
    found.ranked.sort(key=_rank)
    return found


def _weigh(node: str, *, found: Search, outlook: Outlook, steered: Collection[str]) -> None:
    """Sort a node that kube-scheduler would take into the destinations, or count why it is none."""
    source, standing = outlook.standing(found.candidate.node), outlook.standing(node)
    if source is None or standing is None:
        found.useless["not measured in full" if source else "source not measured in full"] += 1
        return
    why = _why_closed(node, outlook, steered)
    if why is not None:
        found.useless[why] += 1
        return
    move = outlook.move(found.candidate, source, standing)
    keep = outlook.situation.policy.buoyancy.filter_below
    after = consequence(move, keep=keep)
    destination = Destination(_buoyancy(after.headroom, standing, outlook), node)
    why = f"less than {keep:g} left" if below(destination.headroom, keep) else _why_useless(move, after, outlook, node)
    if why is None:
        found.ranked.append(destination)
    else:
        found.useless[why] += 1
        found.afterwards.append(destination)


def _why_closed(node: str, outlook: Outlook, steered: Collection[str]) -> str | None:
    """Say why a node is no destination whatever the pod takes."""
    if node in outlook.troubled:
        return "in trouble"
    if node in steered:
        return "recently evicted from there"
    return "expects a pod of unknown size" if node in outlook.unsized else None


def _why_useless(move: Move, after: Consequence, outlook: Outlook, node: str) -> str | None:
    """Say why a move to a node with enough headroom would not help, or nobody can tell that it would."""
    uncountable = [name for name in move.destination if not move.countable(name)]
    if uncountable and outlook.expects(node):
        return "another pod is expected there and its samples are not"
    if not after.fits:
        return f"less than {UNCOUNTABLE_MARGIN:g} more headroom than the filter asks for"
    gain_needed = outlook.situation.policy.eviction.net_gain == "required"
    return "no net gain" if gain_needed and not after.gains else None


def _buoyancy(headroom: float, standing: NodeStanding, outlook: Outlook) -> float:
    """Return what the extender's filter will look at: slack is part of it under `includeSlack: filter` only."""
    counts = outlook.situation.policy.buoyancy.include_slack == "filter" and standing.slack is not None
    return min(headroom, standing.slack) if counts and standing.slack is not None else headroom


def _steered(candidate: Candidate, situation: Situation) -> Collection[str]:
    """Name the nodes that the extender keeps the replacement off, as the workload was just evicted from them."""
    records = situation.view.records_of.get(situation.ref(candidate), ())
    return steered_nodes(records, now=situation.now, avoid_source=situation.policy.steering.avoid_source).keys()


def _rank(destination: Destination) -> tuple[float, str]:
    return -destination.headroom, destination.node


def _counted(reasons: Counter[str]) -> str:
    """Return the reasons with their counts, the most frequent first."""
    return ", ".join(f"{count} {why}" for why, count in sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
