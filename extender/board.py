"""How every node stands now: measured at the last poll, kept up as pods come and go and as values grow old.

The poll replaces everything, a pod's turn changes one node. Requests read without waiting for either.
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from typing import TypeVar

import numpy as np

from extender.census import Census
from extender.codec import Victims, score_line
from extender.rulings import Rulings
from policies.buoyancy.saturation import saturate
from policies.buoyancy.standing import NO_SLACKS, NodeSlacks, Standings, stand
from policies.model.signals import Signals
from policies.placement.aging import aged, next_expiry, with_last_known
from policies.placement.expected_load import Expectations, Resident
from policies.placement.preempting import Option, Sight
from policies.placement.ratings import Ratings, rate, rate_all
from policies.placement.use_ratios import use_ratios
from policies.values.signals import Grid, SignalHistory
from policies.values.standings import NodeStanding

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What one poll brought: one column of signals, and the least `s_bar` of each node's pods."""

    history: SignalHistory
    slacks: NodeSlacks = NO_SLACKS


@dataclass(frozen=True, slots=True)
class Measured:
    """The newest value of one resource on one node as it was queried, and its age in seconds at the poll."""

    value: float | None = None
    age: float | None = None


NOTHING_READ = Readings(history=SignalHistory(times=np.zeros(1), step=1.0))


@dataclass(frozen=True, slots=True)
class _Computed:
    """What rests on one look at everything; `by_name`: standings that turns of pods changed or somebody asked for."""

    standings: Standings
    expected: Expectations
    by_name: dict[str, NodeStanding]


class Board:
    """The standings of all nodes. `freed` is set when a node is not below the threshold any more.

    `lines` are the scores of `ratings` as an answer has them: written when they change, not 5,000 in each answer.
    """

    def __init__(self, census: Census, rulings: Rulings, *, freed: threading.Event) -> None:
        self.ratings = Ratings()
        self.lines: dict[str, str] = {}
        self.readings = NOTHING_READ
        self._census = census
        self._rulings = rulings
        self._freed = freed
        self._computed: _Computed | None = None
        self._renewing = threading.RLock()  # polls and ageing, one after the other
        self._lock = threading.Lock()  # what they and turns of pods replace

    def take(self, readings: Readings, *, now: float) -> None:
        """Take in what a poll brought; what it could not ask for stays as it was, until it is too old."""
        stale_after = self._rulings.current.policy.signals.stale_after
        with self._renewing:
            history = with_last_known(readings.history, self.readings.history, stale_after=stale_after)
            self.readings = replace(readings, history=history)
            self.age(now=now)

    def age(self, *, now: float) -> None:
        """Compute everything anew from the last poll, as of now and under the policy in force."""
        with self._renewing:
            history = self.current_history(now=now)
            self.readings = replace(self.readings, history=history)
            self._compute(history, now=now)

    def follow(self, old: Signals, *, now: float) -> None:
        """Judge everything under the policy in force; values of queries that it does not ask any more are dropped."""
        new = self._rulings.current.policy.signals.resources
        same = {name for name, one in old.resources.items() if name in new and one.queries() == new[name].queries()}
        with self._renewing:
            history = self.readings.history
            kept = {name: one for name, one in history.resources.items() if name in same}
            self.readings = replace(self.readings, history=replace(history, resources=kept))
            self.age(now=now)

    def expires(self) -> float:
        """Return when (Unix seconds) the next value becomes stale."""
        return next_expiry(self.readings.history, stale_after=self._rulings.current.policy.signals.stale_after)

    def turn(self, node: str) -> None:
        """Compute one node anew because a pod came or ended there."""
        with self._lock:
            computed = self._computed
            if computed is None or node not in computed.standings.row:
                return
            standing = computed.standings.after(node, computed.expected.of_node(node, self._census.turns(node)))
            computed.by_name[node] = standing
            self._rerate(standing)

    def standing(self, node: str) -> NodeStanding | None:
        """Return how a node stands, None where it is not known."""
        computed = self._computed
        if computed is None:
            return None
        known = computed.by_name.get(node)
        if known is not None or node not in computed.standings.row:
            return known
        # Not overwritten: a turn of a pod may have put a newer one there meanwhile.
        return computed.by_name.setdefault(node, computed.standings[node])

    def option(self, node: str, victims: Victims) -> Option:
        """Return a node as a candidate for preemption."""
        residents = self._census.residents(victims.uids)
        known = [one for one in residents if one is not None]
        priorities = [None if one is None else one.pod.priority for one in residents]
        if victims.priorities:
            priorities = [victims.priorities.get(uid, told) for uid, told in zip(victims.uids, priorities, strict=True)]
        computed = self._computed
        most = _nothing if computed is None else partial(computed.expected.most, known, node)
        return Option(node, priorities, victims.violations, partial(self._sight, node, known), most, known)

    def _sight(self, node: str, victims: Sequence[Resident]) -> Sight:
        computed = self._computed
        return Sight(self.standing(node), {} if computed is None else computed.expected.relief(victims, node))

    def measured(self, node: str) -> dict[str, Measured]:
        """Return what the last poll brought of a node, by resource of the policy."""
        history = self.readings.history
        found = {name: history.resources.get(name) for name in sorted(self._rulings.current.policy.signals.resources)}
        return {name: Measured() if read is None else _measured(read.node, node) for name, read in found.items()}

    def current_history(self, *, now: float) -> SignalHistory:
        """Return the readings of the last poll as they stand now."""
        return aged(self.readings.history, at=now, stale_after=self._rulings.current.policy.signals.stale_after)

    def largest_loads(self) -> dict[str, float]:
        """Return the largest assumed load of any node, by resource."""
        computed = self._computed
        if computed is None or not computed.standings.nodes:
            return {}
        standings = computed.standings
        most = dict(zip(standings.resources, standings.loads.max(axis=1).tolist(), strict=True))
        for standing in tuple(computed.by_name.values()):
            for resource, load in standing.assumed.items():
                most[resource] = max(most[resource], load)
        return most

    def _compute(self, history: SignalHistory, *, now: float) -> None:
        policy = self._rulings.current.policy
        turns = self._census.all_turns(now=now)
        requested = self._census.requested()
        ratios = use_ratios(history, signals=policy.signals, requested=requested, turns=turns)
        with self._lock:
            nodes = dict(self._census.nodes)
            saturation = saturate(history, policy.signals, nodes=tuple(nodes))
            expected = Expectations(saturation=saturation, signals=policy.signals, nodes=nodes, ratios=ratios)
            loads = expected.of_all(self._census.all_turns(now=now))
            include = policy.buoyancy.include_slack
            standings = stand(saturation, include_slack=include, slacks=self.readings.slacks, loads=loads)
            self._computed = _Computed(standings, expected, {})
            self._rated(rate_all(standings, filter_below=policy.buoyancy.filter_below))

    def _rated(self, ratings: Ratings) -> None:
        fewer = self.ratings.below.keys() - ratings.below.keys()
        self.ratings = ratings
        self.lines = dict(zip(ratings.scores, starmap(score_line, ratings.scores.items()), strict=True))
        if fewer:
            self._freed.set()

    def _rerate(self, standing: NodeStanding) -> None:
        """Change one node's entries in place: each lookup of a request sees the old or the new value."""
        node = standing.node
        rating = rate(standing, filter_below=self._rulings.current.policy.buoyancy.filter_below)
        was_below = node in self.ratings.below
        _enter(self.ratings.below, node, rating.below)
        _enter(self.ratings.scores, node, rating.score)
        _enter(self.lines, node, None if rating.score is None else score_line(node, rating.score))
        _enter(self.ratings.capped, node, rating.capped)
        if was_below and rating.below is None:
            self._freed.set()


def _nothing() -> float:
    return 0.0


def _measured(grid: Grid, node: str) -> Measured:
    row = grid.row.get(node)
    age = math.nan if row is None else float(grid.ages[row, -1])
    return Measured(grid.newest(node), None if math.isnan(age) else age)


def _enter(entries: dict[str, T], node: str, value: T | None) -> None:
    if value is None:
        entries.pop(node, None)
    else:
        entries[node] = value
