"""How the nodes will stand once everything decided so far, and everything still in flight, has happened.

A working copy for one cycle: `expect` adds a victim's move to it. It adds load and takes room; it never gives any back.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from policies.buoyancy.capacities import amount, capacity_ratio
from policies.buoyancy.moves import Move, put_on, taken_off
from policies.feasibility.occupancy import Occupancy
from policies.rails.in_flight import is_in_flight
from policies.rails.situation import Situation
from policies.rules.evidence import pod_scores_in
from policies.values.candidates import Candidate, Victim
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from policies.values.resources import NOTHING
from policies.values.standings import Confidence, NodeStanding

Scores: TypeAlias = Mapping[str, float]

_NOTHING: Final[Scores] = {}


@dataclass(slots=True, kw_only=True)
class Outlook:
    """Occupancy by requests and standing by signals, with what is expected on top.

    `troubled` names the nodes in trouble: none of them is a destination. `unsized` names nodes that a move in flight
    goes to whose size nobody can tell any more. Build it with `look_ahead`.
    """

    situation: Situation
    standings: Mapping[str, NodeStanding]
    troubled: Collection[str]
    occupancy: Occupancy
    unsized: set[str] = field(default_factory=set)
    _known: dict[str, NodeStanding | None] = field(default_factory=dict)
    _added: dict[str, dict[str, float]] = field(default_factory=dict)
    _taken: dict[str, dict[str, float]] = field(default_factory=dict)

    def standing(self, node: str) -> NodeStanding | None:
        """Return how a node stands, None unless all its resources are fresh and something about it is verified."""
        if node not in self._known:
            standing = self.standings.get(node)
            whole = standing is not None and standing.confidence is Confidence.FULL and standing.refusable
            self._known[node] = standing if whole else None
        return self._known[node]

    def expects(self, node: str) -> bool:
        """Tell whether a pod is expected on a node that no sample knows of yet."""
        return node in self._added

    def move(self, candidate: Candidate, source: NodeStanding, destination: NodeStanding) -> Move:
        """Return the candidate's move as scores, what is expected on both nodes included."""
        return Move(
            source=_with(
                source.scores,
                added=self._added.get(source.node, _NOTHING),
                taken=self._taken.get(source.node, _NOTHING),
            ),
            destination=_with(destination.scores, added=self._added.get(destination.node, _NOTHING), taken=_NOTHING),
            pod=candidate.scores,
            additive=self.additive,
            contested=source.contested or "",
            ratios=self._ratios(candidate.node, destination.node, candidate.scores),
        )

    @property
    def additive(self) -> frozenset[str]:
        """Name the resources that may be added and subtracted."""
        resources = self.situation.policy.signals.resources
        return frozenset(name for name, signal in resources.items() if signal.additive)

    def expect(self, victim: Victim) -> None:
        """Add a victim's move: its room and load at the destination, and that nobody may rely on it any more."""
        candidate = victim.candidate
        self.occupancy.leave(candidate.pod)
        _add(self._taken.setdefault(candidate.node, {}), candidate.scores)
        if victim.destination is None:
            return
        self.occupancy.place(candidate.pod, victim.destination)
        ratios = self._ratios(candidate.node, victim.destination, candidate.scores)
        load = {name: score * ratios[name] for name, score in candidate.scores.items()}
        _add(self._added.setdefault(victim.destination, {}), load)

    def expect_in_flight(self, record: EvictionRecord) -> None:
        """Add a move of an earlier cycle whose replacement is not bound yet."""
        nodes = self.situation.cluster.nodes
        if record.destination is None or record.destination not in nodes:
            return
        pod = _stand_in(record, self.situation)
        if pod is None:
            self.unsized.add(record.destination)
            return
        self.occupancy.place(pod, record.destination)
        load = _requested(pod, nodes[record.destination], self.additive)
        scores = pod_scores_in(record.evidence)
        ratios = self._ratios(record.node, record.destination, scores)
        load |= {name: score * ratios[name] for name, score in scores.items() if name in self.additive}
        _add(self._added.setdefault(record.destination, {}), load)

    def _ratios(self, source: str, destination: str, names: Iterable[str]) -> dict[str, float]:
        nodes = self.situation.cluster.nodes
        rooms = [nodes[name].allocatable if name in nodes else NOTHING for name in (source, destination)]
        return {name: capacity_ratio(rooms[0], rooms[1], name) for name in names}


def look_ahead(situation: Situation, standings: Mapping[str, NodeStanding], troubled: Collection[str]) -> Outlook:
    """Return the outlook of a situation: its nodes, the moves in flight, and the victims it already has."""
    outlook = Outlook(situation=situation, standings=standings, troubled=troubled, occupancy=Occupancy(situation.view))
    for record in situation.records:
        if is_in_flight(record, situation) and not _arrived(record, situation):
            outlook.expect_in_flight(record)
    for victim in situation.unrecorded_victims():
        outlook.expect(victim)
    return outlook


def _arrived(record: EvictionRecord, situation: Situation) -> bool:
    """Tell whether the replacement is bound, so that the snapshot and the assumed load know of it."""
    replacement = situation.cluster.pods.get(record.verification.replacement_uid or "")
    return record.verification.node is not None or (replacement is not None and replacement.node is not None)


def _stand_in(record: EvictionRecord, situation: Situation) -> Pod | None:
    """Return a pod of the size of the one in flight: its replacement, itself while it ends, or a sibling."""
    pods = situation.cluster.pods
    siblings = situation.view.pods_of.get(record.workload, ()) if record.workload is not None else ()
    known = (pods.get(record.verification.replacement_uid or ""), pods.get(record.pod_uid), *siblings)
    return next((pod for pod in known if pod is not None), None)


def _requested(pod: Pod, node: Node, names: Iterable[str]) -> dict[str, float]:
    """Return what a pod requests as shares of what the node can allocate, where both are declared."""
    room = node.allocatable
    return {name: amount(pod.requests, name) / amount(room, name) for name in names if room[name] > 0}


def _add(sums: dict[str, float], parts: Mapping[str, float]) -> None:
    for name, part in parts.items():
        sums[name] = sums.get(name, 0.0) + part


def _with(scores: Scores, *, added: Scores, taken: Scores) -> Scores:
    """Return scores with what comes and without what goes; a score that is not measured stays unknown."""
    if not added and not taken:
        return scores
    return {
        name: taken_off(put_on(score, added.get(name, 0.0)), taken.get(name, 0.0)) for name, score in scores.items()
    }
