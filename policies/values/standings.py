"""How one node stands: its headroom and buoyancy with what they rest on; computed elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Confidence(StrEnum):
    """How much of a node's configured resources is measured and fresh."""

    FULL = "full"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStanding:
    """One node at one moment, after assumed load. Symbols as in docs/design/buoyancy.md.

    `scores` are `R_n` by resource, fresh values only, assumed load included; `headroom` is `O_n = 1 - max R`,
    `slack` the least `s_bar` of the node's pods. `filter_buoyancy` and `score_buoyancy` are `B_n` as the filter
    and the score take it (`includeSlack`). `refusable` is False where an unverified value decides: such a node may
    be scored but never refused. `assumed` is the part of `scores` that is not measured yet.
    """

    node: str
    confidence: Confidence
    headroom: float | None = None
    slack: float | None = None
    filter_buoyancy: float | None = None
    score_buoyancy: float | None = None
    contested: str | None = None
    refusable: bool = True
    scores: Mapping[str, float] = field(default_factory=dict)
    assumed: Mapping[str, float] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
