"""How the nodes will stand once everything decided so far, and everything still in flight, has happened.

A working copy for one cycle: `expect` adds a victim's move to it. It adds load and takes room; it never gives any back
to a destination.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from policies.buoyancy.capacities import amount, capacity
from policies.buoyancy.recent_pods import full_capacity
from policies.buoyancy.scores import Anchors
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.prospects import Moves
from policies.feasibility.rows import Mask
from policies.rails.in_flight import is_in_flight
from policies.rails.situation import Situation
from policies.rules.evidence import pod_scores_in
from policies.values.candidates import Candidate, Victim
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from policies.values.signals import Floats
from policies.values.standings import Confidence, NodeStanding


@dataclass(kw_only=True)
class Outlook:
    """Occupancy by requests and standing by signals, with what is expected on top. `look_ahead` makes it.

    `troubled` names the nodes in trouble. `unsized` names nodes that a move in flight goes to whose size nobody can
    tell any more, `expecting` those that a pod goes to which no sample shows yet, `giving` the sources of this cycle.
    """

    situation: Situation
    standings: Mapping[str, NodeStanding]
    troubled: Collection[str]
    occupancy: Occupancy
    unsized: set[str] = field(default_factory=set)
    expecting: set[str] = field(default_factory=set)
    giving: set[str] = field(default_factory=set)

    @cached_property
    def measured(self) -> Mapping[str, NodeStanding]:
        """How each node stands of which all resources are fresh and at least one is verified."""
        standings = ((name, self.standings[name]) for name in self.occupancy.rows.row if name in self.standings)
        return {name: each for name, each in standings if _counts_as_measured(each)}

    @cached_property
    def whole(self) -> Mask:
        """The mask of the measured nodes."""
        return self.occupancy.rows.named(self.measured)

    @cached_property
    def slack(self) -> Floats:
        """The least slack of each node's pods, infinite where there is none."""
        slacks = (self.measured[name].slack if name in self.measured else None for name in self.occupancy.rows.row)
        return np.array([np.inf if slack is None else slack for slack in slacks], np.float64)

    @cached_property
    def scores(self) -> Mapping[str, Floats]:
        """The nodes' `R` by resource, NaN where not measured; `expect` changes them in place."""
        names = {name for standing in self.measured.values() for name in standing.scores}
        return {name: self._column(name) for name in sorted(names)}

    @cached_property
    def additive(self) -> frozenset[str]:
        """The resources that may be added and subtracted."""
        resources = self.situation.policy.signals.resources
        return frozenset(name for name, signal in resources.items() if signal.additive)

    def moves(self, candidate: Candidate) -> Moves:
        """Return the candidate's ways to all nodes."""
        row = self.occupancy.rows.row.get(candidate.node)
        source = {} if row is None else {name: float(column[row]) for name, column in self.scores.items()}
        standing = self.measured.get(candidate.node)
        pod = {name: score for name, score in candidate.scores.items() if name in self.additive}
        return Moves(
            source={name: score for name, score in source.items() if np.isfinite(score)},
            pod=pod,
            contested="" if standing is None or standing.contested is None else standing.contested,
            destinations=self.scores,
            ratios={name: self._ratios(candidate.node, name) for name in pod},
        )

    def expect(self, victim: Victim) -> None:
        """Add a victim's move: its room and load at the destination, and that nobody may rely on it any more."""
        candidate = victim.candidate
        self.occupancy.leave(candidate.pod)
        self.giving.add(candidate.node)
        scores = {name: score for name, score in candidate.scores.items() if name in self.additive}
        self._unload(candidate.node, scores)
        if victim.destination is not None and victim.destination in self.occupancy.rows.row:
            self.occupancy.place(candidate.pod, victim.destination)
            self._load(victim.destination, self._there(scores, source=candidate.node, node=victim.destination))

    def expect_in_flight(self, record: EvictionRecord) -> None:
        """Add a move of an earlier cycle whose replacement is not bound yet."""
        node = record.destination
        if node is None or node not in self.occupancy.rows.row:
            return
        pod = stand_in(record, self.situation)
        if pod is None:
            self.unsized.add(node)
            return
        self.occupancy.place(pod, node)
        scores = {name: score for name, score in pod_scores_in(record.evidence).items() if name in self.additive}
        self._load(node, self._requested(pod, node) | self._there(scores, source=record.node, node=node))

    def _column(self, resource: str) -> Floats:
        scores = (
            self.measured[name].scores.get(resource, np.nan) if name in self.measured else np.nan
            for name in self.occupancy.rows.row
        )
        return np.fromiter(scores, np.float64, count=len(self.occupancy.rows.nodes))

    @cached_property
    def _capacities(self) -> Mapping[str, Floats]:
        nodes = self.occupancy.rows.nodes
        return {name: np.array([capacity(node.allocatable, name) for node in nodes]) for name in self.additive}

    def _ratios(self, source: str, resource: str) -> Floats:
        """Return the capacity of the source in units of each node's; 1 where nodes do not declare the resource."""
        node = self.situation.cluster.nodes.get(source)
        mine = np.nan if node is None else capacity(node.allocatable, resource)
        ratios = mine / self._capacities[resource]
        return np.where(np.isfinite(ratios), ratios, 1.0)

    def _there(self, scores: Mapping[str, float], *, source: str, node: str) -> dict[str, float]:
        """Return a pod's scores as the destination will show them."""
        row = self.occupancy.rows.row[node]
        return {name: score * float(self._ratios(source, name)[row]) for name, score in scores.items()}

    def _requested(self, pod: Pod, node: str) -> dict[str, float]:
        """Return what a pod requests as the destination's scores will show it, where the node declares the resource."""
        there, signals = self.situation.cluster.nodes[node], self.situation.policy.signals.resources
        full = {
            name: full_capacity(there, name, Anchors(signals[name].zero, signals[name].full)) for name in self.additive
        }
        return {name: amount(pod.requests, name) / room for name, room in full.items() if room > 0}

    def _load(self, node: str, scores: Mapping[str, float]) -> None:
        self.expecting.add(node)
        for name in scores.keys() & self.scores.keys():
            self.scores[name][self.occupancy.rows.row[node]] += scores[name]

    def _unload(self, node: str, scores: Mapping[str, float]) -> None:
        row = self.occupancy.rows.row.get(node)
        for name in scores.keys() & self.scores.keys() if row is not None else ():
            column = self.scores[name]
            column[row] = np.maximum(0.0, column[row] - scores[name])


def _counts_as_measured(standing: NodeStanding) -> bool:
    return standing.confidence is Confidence.FULL and standing.refusable and bool(standing.scores)


def look_ahead(situation: Situation, standings: Mapping[str, NodeStanding], troubled: Collection[str]) -> Outlook:
    """Return the outlook of a situation: its nodes, the moves in flight, and the victims it already has."""
    outlook = Outlook(situation=situation, standings=standings, troubled=troubled, occupancy=Occupancy(situation.view))
    for record in awaited(situation):
        outlook.expect_in_flight(record)
    for victim in situation.unrecorded_victims():
        outlook.expect(victim)
    return outlook


def awaited(situation: Situation) -> Iterable[EvictionRecord]:
    """Yield the evictions whose replacement the snapshot does not show bound yet."""
    for record in situation.records:
        if not is_in_flight(record, situation) or record.verification.node is not None:
            continue
        replacement = situation.cluster.pods.get(record.verification.replacement_uid or "")
        if replacement is None or replacement.node is None:
            yield record


def stand_in(record: EvictionRecord, situation: Situation) -> Pod | None:
    """Return a pod of the size of the one in flight: its replacement, itself while it ends, or a sibling."""
    pods = situation.cluster.pods
    siblings = situation.view.pods_of.get(record.workload, ()) if record.workload is not None else ()
    known = (pods.get(record.verification.replacement_uid or ""), pods.get(record.pod_uid), *siblings)
    return next((pod for pod in known if pod is not None), None)
