"""How every node stands at the newest evaluation, after assumed load; refuses and ranks nobody.

`stand` computes all nodes at once, as arrays; a `NodeStanding` is made of them when somebody asks for a node. After a
bind only that node changes: `Standings.after` gives its new standing without touching the others.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from policies.buoyancy.assumed_load import with_load
from policies.buoyancy.headroom import headroom
from policies.buoyancy.node_buoyancy import IncludeSlack, filter_buoyancy, score_buoyancy
from policies.buoyancy.node_score import node_scores
from policies.buoyancy.saturation import Saturation
from policies.buoyancy.tolerance import TOLERANCE, Flags, below
from policies.values.signals import Floats, Freshness
from policies.values.standings import Confidence, NodeStanding


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSlacks:
    """The least `s_bar` of each node's pods, by node name; `verified` leaves out indicators without an age."""

    any: Mapping[str, float] = field(default_factory=dict)
    verified: Mapping[str, float] = field(default_factory=dict)


NO_SLACKS: Final = NodeSlacks()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Newest:
    """The measured part of the standings, by resource and node, before assumed load."""

    nodes: tuple[str, ...]
    row: Mapping[str, int]
    resources: tuple[str, ...]
    verified: tuple[bool, ...]
    scores: Floats
    whole: Flags
    states: NDArray[np.uint8]
    slack: Floats
    verified_slack: Floats
    include: IncludeSlack


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standings(Mapping[str, NodeStanding]):
    """Every node's standing. The arrays are by row, NaN where unknown; iteration gives names in row order.

    `headroom`, `filter_buoyancy` and `score_buoyancy` are as in `NodeStanding`, `scores` is `S_n` (0 where unknown),
    `full` and `known` tell confidence: full, or at least partial.
    """

    nodes: tuple[str, ...]
    row: Mapping[str, int]
    headroom: Floats
    filter_buoyancy: Floats
    score_buoyancy: Floats
    scores: NDArray[np.int64]
    full: Flags
    known: Flags
    loads: Floats
    newest: _Newest

    def __getitem__(self, node: str) -> NodeStanding:
        at = self.row[node]
        return _standing(self.newest, at, self.loads[:, at].tolist())

    def __iter__(self) -> Iterator[str]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def after(self, node: str, loads: Sequence[float]) -> NodeStanding:
        """Return a node's standing under another assumed load: `dR` by resource, in the order of `resources`."""
        return _standing(self.newest, self.row[node], loads)

    def marked(self, threshold: float) -> frozenset[str]:
        """Name the nodes whose `B_n` as the filter takes it is below a threshold, on verified values alone."""
        return frozenset(self.nodes[at] for at in np.flatnonzero(below(self.filter_buoyancy, threshold)))

    @property
    def resources(self) -> tuple[str, ...]:
        """Name the resources in the order of `loads`."""
        return self.newest.resources


def stand(
    saturation: Saturation,
    *,
    include_slack: IncludeSlack,
    slacks: NodeSlacks = NO_SLACKS,
    loads: Floats | None = None,
) -> Standings:
    """Return how the nodes stand. `loads` is the assumed load `dR`, resources x nodes in the saturation's order."""
    newest = _newest(saturation, slacks, include_slack)
    assumed = np.zeros(newest.scores.shape) if loads is None else loads
    scores = with_load(newest.scores, assumed)
    all_headroom = headroom(scores)
    verified_headroom = headroom(np.where(saturation.verified[:, None], scores, np.nan))
    by_score = score_buoyancy(all_headroom, newest.slack, include_slack)
    return Standings(
        nodes=newest.nodes,
        row=newest.row,
        headroom=all_headroom,
        filter_buoyancy=filter_buoyancy(verified_headroom, newest.verified_slack, include_slack),
        score_buoyancy=by_score,
        scores=node_scores(by_score),
        full=newest.whole.all(axis=0) & np.isfinite(all_headroom),
        known=np.isfinite(by_score),
        loads=assumed,
        newest=newest,
    )


def _newest(saturation: Saturation, slacks: NodeSlacks, include: IncludeSlack) -> _Newest:
    columns = saturation.scores.shape[2]
    if not columns:
        raise ValueError("a saturation of 0 evaluation times has no newest one; allowed is at least 1")
    return _Newest(
        nodes=saturation.nodes,
        row=saturation.row,
        resources=saturation.resources,
        verified=tuple(saturation.verified.tolist()),
        scores=saturation.scores[:, :, -1],
        whole=saturation.whole[:, :, -1],
        states=saturation.states[:, :, -1],
        slack=_by_node(saturation.nodes, slacks.any),
        verified_slack=_by_node(saturation.nodes, slacks.verified),
        include=include,
    )


def _by_node(nodes: tuple[str, ...], slack: Mapping[str, float]) -> Floats:
    if not slack:
        return np.full(len(nodes), np.nan)
    return np.fromiter((slack.get(node, math.nan) for node in nodes), dtype=np.float64, count=len(nodes))


def _standing(newest: _Newest, at: int, loads: Sequence[float]) -> NodeStanding:
    """Return one node's standing in plain Python: for one node numpy would cost ten times as much."""
    scores: dict[str, float] = {}
    proven: list[float] = []
    absent: dict[str, str] = {}
    assumed: dict[str, float] = {}
    for k, resource in enumerate(newest.resources):
        measured = newest.scores.item(k, at)
        if not newest.whole.item(k, at):
            absent[resource] = Freshness(newest.states.item(k, at)).name.lower()
        if math.isnan(measured):
            continue
        scores[resource] = score = max(measured + loads[k], 0.0)
        if loads[k]:
            assumed[resource] = loads[k]
        if newest.verified[k]:
            proven.append(score)
    room = 1.0 - max(scores.values()) if scores else None
    verified_room = 1.0 - max(proven) if proven else None
    slack, verified_slack = newest.slack.item(at), newest.verified_slack.item(at)
    by_filter = _least(verified_room, verified_slack if newest.include == "filter" else math.nan)
    by_score = _least(room, slack if newest.include != "off" else math.nan)
    return NodeStanding(
        node=newest.nodes[at],
        confidence=_confidence(by_score, room=room, complete=not absent),
        headroom=room,
        slack=None if math.isnan(slack) else slack,
        filter_buoyancy=by_filter,
        score_buoyancy=by_score,
        contested=_contested(scores),
        refusable=by_filter is not None,
        scores=scores,
        assumed=assumed,
        absent=absent,
    )


def _least(room: float | None, slack: float) -> float | None:
    if math.isnan(slack):
        return room
    return slack if room is None else min(room, slack)


def _contested(scores: Mapping[str, float]) -> str | None:
    """Return the resource with the largest score; the first of equals, as the resources are in alphabetical order."""
    if not scores:
        return None
    peak = max(scores.values())
    return next(resource for resource, score in scores.items() if score >= peak - TOLERANCE)


def _confidence(buoyancy: float | None, *, room: float | None, complete: bool) -> Confidence:
    if buoyancy is None:
        return Confidence.UNKNOWN
    return Confidence.FULL if complete and room is not None else Confidence.PARTIAL
