"""What a request needs of every node's standing, in the form that 5,000 names are looked up in within a millisecond.

Nodes are rated when their standing changes, not when they are asked for; nothing here is kept.
"""

from dataclasses import dataclass, field

import numpy as np

from policies.buoyancy.node_score import node_score
from policies.buoyancy.standing import Standings
from policies.buoyancy.tolerance import Flags, below
from policies.values.standings import Confidence, NodeStanding


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """All nodes by name: `B_n` of those that may be refused, `S_n` of fully measured and of partly measured ones.

    A node in neither of the last two is unknown: its score is neutral. Whoever keeps the ratings may change a node's
    entries in place: decisions look each one up once.
    """

    below: dict[str, float] = field(default_factory=dict)
    scores: dict[str, int] = field(default_factory=dict)
    capped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rating:
    """One node's entries in `Ratings`, None where it has none."""

    below: float | None = None
    score: int | None = None
    capped: int | None = None


def rate(standing: NodeStanding, *, filter_below: float) -> Rating:
    """Rate one node; what rests on an unverified value may score, but never refuse."""
    buoyancy = standing.filter_buoyancy
    low = buoyancy is not None and standing.refusable and below(buoyancy, filter_below)
    score = None if standing.score_buoyancy is None else node_score(standing.score_buoyancy)
    return Rating(
        below=buoyancy if low else None,
        score=score if standing.confidence is Confidence.FULL else None,
        capped=score if standing.confidence is Confidence.PARTIAL else None,
    )


def rate_all(standings: Standings, *, filter_below: float) -> Ratings:
    """Rate every node, as `rate` does for one."""
    low = below(standings.filter_buoyancy, filter_below)
    return Ratings(
        below=dict(zip(_names(standings, low), standings.filter_buoyancy[low].tolist(), strict=True)),
        scores=_scores(standings, standings.known & standings.full),
        capped=_scores(standings, standings.known & ~standings.full),
    )


def _scores(standings: Standings, mask: Flags) -> dict[str, int]:
    return dict(zip(_names(standings, mask), standings.scores[mask].tolist(), strict=True))


def _names(standings: Standings, mask: Flags) -> list[str]:
    return [standings.nodes[at] for at in np.flatnonzero(mask)]
