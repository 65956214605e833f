"""Thresholds on buoyancy and headroom, for placing and for descheduling."""

from typing import Literal

from policies.model.fields import Seconds, Section, Share


class Buoyancy(Section):
    """When a node is refused, how it is scored, when it counts as oversubscribed."""

    filter_below: float = 0.1
    deschedule_below: float = 0.0
    deschedule_after: Seconds = 180.0
    clear_above: float | None = None
    include_slack: Literal["off", "score", "filter"] = "score"
    max_refused_nodes: Share = 0.5
    max_hold: Seconds = 300.0
