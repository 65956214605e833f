"""Service level objectives with soft limits."""

from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import Field

from policies.model.fields import Name, Namespace, Number, Objective, Query, Seconds
from policies.model.scope import Selector
from policies.model.sections import Remark, Section

HYSTERESIS: Final = 0.05  # how far above its threshold a trouble ends, unless the policy says otherwise


def _above_threshold(data: dict[str, Any]) -> float:
    return float(data["evict_below"]) + HYSTERESIS


class Slo(Section):
    """One objective. Exactly one of `atMost` (lower is better) and `atLeast` (higher is better) is given."""

    name: Name = Field(
        description="What the objective is called in logs, metrics, records and events; unique.",
        examples=["frontend-p99"],
    )
    selector: Selector = Field(
        description="The pods that it holds for, by label; an empty selector means every pod.",
        examples=[{"matchLabels": {"app": "frontend"}}],
    )
    namespaces: tuple[Namespace, ...] = Field(
        default=(),
        description="The namespaces whose pods it holds for. Default: empty, which means all that are in scope.",
    )
    indicator: Query = Field(
        description="PromQL for what is measured, one series a pod or a workload (see `per`). Without traffic it "
        "should give nothing or NaN, never 0.",
        examples=["histogram_quantile(0.99, sum by (namespace, pod, le) (rate(http_request_seconds_bucket[1m])))"],
    )
    age: Query | None = Field(
        default=None,
        description="Seconds since the newest raw sample, by the same labels as `indicator`. Default: none, and then "
        "nobody is evicted for it, as nothing shows when its values are old.",
    )
    per: Literal["pod", "workload"] = Field(
        default="pod",
        description="Whether a series of the indicator speaks for one pod or for a whole workload; for a workload the "
        "replica on the node with the least headroom is the candidate. Default: pod, which tells who suffers.",
    )
    at_most: Objective | None = Field(
        default=None,
        description="The objective where lower is better (latency): a number in the indicator's unit, or a duration, "
        "which is compared in seconds. Default: none; one of atMost and atLeast must be given.",
        examples=["250ms"],
    )
    at_least: Objective | None = Field(
        default=None,
        description="The objective where higher is better (throughput, availability), as atMost. Default: none.",
    )
    window: Seconds = Field(
        default=60.0,
        description="Over how long slack is averaged. A window of one step or less makes the limit hard: every single "
        "sample counts. Default 1m: halves evictions against 0s at nearly the same SLO compliance.",
    )
    evict_below: Number = Field(
        default=0.0,
        le=1,
        description="The average slack, as a fraction of the objective, below which a pod is a candidate; -0.1 "
        "tolerates a breach of 10 %. Default 0: act when the objective is missed on average, not before.",
    )
    clear_above: Number = Field(
        default_factory=_above_threshold,
        le=1,
        description="The average slack above which the trouble ends; not below evictBelow. Default: evictBelow + 0.05, "
        "so that a value that trembles about the threshold does not begin a new trouble each time.",
        json_schema_extra={"x-default": "evictBelow + 0.05"},
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse an SLO without objective or with two, and trouble that ends before it begins."""
        if (self.at_most is None) == (self.at_least is None):
            seen = "neither atMost nor atLeast" if self.at_most is None else "both atMost and atLeast"
            yield Remark(
                at=(), message=f"seen {seen}; allowed is exactly one of them", about=(("atMost",), ("atLeast",))
            )
        if self.clear_above < self.evict_below:
            yield Remark(
                at=("clearAbove",),
                message=f"seen {self.clear_above:g}, below evictBelow ({self.evict_below:g}): the trouble would end "
                "before it begins; allowed is evictBelow or more",
                about=(("clearAbove",), ("evictBelow",)),
            )

    def warnings(self) -> Iterator[Remark]:
        """Name an objective that can never evict."""
        if self.age is None:
            yield Remark(at=(), message="has no age query: nobody is ever evicted for this objective")
