"""Thresholds on buoyancy and headroom, for placing and for descheduling."""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from policies.model.fields import Number, Seconds, Share
from policies.model.sections import Remark, Section
from policies.model.slos import HYSTERESIS


def _above_threshold(data: dict[str, Any]) -> float:
    return float(data["deschedule_below"]) + HYSTERESIS


class Buoyancy(Section):
    """When a node is refused, how it is scored, when it is oversubscribed; thresholds are headroom, up to 1."""

    filter_below: Number = Field(
        default=0.1,
        le=1,
        description="A node whose buoyancy is below this takes no new pods (within `maxRefusedNodes`), and no move "
        "ends there. Default 0.1: a tenth of the contested resource left, the value found by experiment in the paper.",
    )
    deschedule_below: Number = Field(
        default=0.0,
        le=1,
        description="A node whose headroom is below this is oversubscribed: a pod that takes much of its contested "
        "resource is a candidate. Not above filterBelow. Default 0: more is demanded than there is.",
    )
    deschedule_after: Seconds = Field(
        default=180.0,
        description="How long every evaluation must find the node oversubscribed over the same resource. Default 3m: "
        "thirteen evaluations at the default step; a peak passes, a wrong placement stays.",
    )
    clear_above: Number = Field(
        default_factory=_above_threshold,
        le=1,
        description="The headroom above which the node's trouble ends; not below descheduleBelow. Default: "
        "descheduleBelow + 0.05, so that a node that trembles about the threshold does not begin a new trouble each "
        "time.",
        json_schema_extra={"x-default": "descheduleBelow + 0.05"},
    )
    include_slack: Literal["off", "score", "filter"] = Field(
        default="score",
        description="Where the slack of the pods on a node is part of its buoyancy: nowhere, in scores, or in scores "
        "and refusals. Default: score, so that a node on which somebody suffers attracts less, but a bad release "
        "does not close it.",
    )
    max_refused_nodes: Share = Field(
        default=0.5,
        description="Share of the nodes that one filter request names that buoyancy may refuse, rounded down, the "
        "least buoyant first; the last node left is refused only at 100%. Default 50%: congestion shifts pods, it "
        "never stops scheduling.",
    )
    max_hold: Seconds = Field(
        default=300.0,
        description="How long a pod may be left without any node because buoyancy refused them all (possible only at "
        "maxRefusedNodes 100%), and how long its preemption is vetoed. Default 5m: as long as kube-scheduler itself "
        "leaves an unschedulable pod asleep.",
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse thresholds in an order that would move pods in circles."""
        if self.filter_below < self.deschedule_below:
            yield Remark(
                at=("filterBelow",),
                message=f"seen {self.filter_below:g}, below descheduleBelow ({self.deschedule_below:g}): a node would "
                "take new pods while others are evicted from it; allowed is descheduleBelow or more",
                about=(("filterBelow",), ("descheduleBelow",)),
            )
        if self.clear_above < self.deschedule_below:
            yield Remark(
                at=("clearAbove",),
                message=f"seen {self.clear_above:g}, below descheduleBelow ({self.deschedule_below:g}): the trouble "
                "would end before it begins; allowed is descheduleBelow or more",
                about=(("clearAbove",), ("descheduleBelow",)),
            )

    def warnings(self) -> Iterator[Remark]:
        """Name a clearing point that new pods keep out of reach, and a hold that never is."""
        if self.clear_above > self.filter_below:
            yield Remark(
                at=("clearAbove",),
                message=f"seen {self.clear_above:g}, above filterBelow ({self.filter_below:g}): a node takes new pods "
                "again while it still counts as in trouble",
            )
        if self.max_refused_nodes == 1 and self.max_hold == 0:
            yield Remark(
                at=("maxHold",),
                message="seen 0s: with maxRefusedNodes 100% a pod that is refused everywhere never waits",
            )
