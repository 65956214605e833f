"""Budgets over rolling windows and the rest after an eviction."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from policies.model.fields import Count, Number, Seconds, duration_text
from policies.model.sections import Remark, Section


class Limit(Section):
    """At most `max` evictions per `window` for each member of the scope; 0 means none, not unlimited."""

    scope: Literal["workload", "namespace", "node", "cluster"] = Field(
        description="Whose evictions are counted: each workload's, each namespace's, each node's, or all.",
        examples=["cluster"],
    )
    max: Count = Field(
        description="Evictions allowed in the window; an eviction whose fate is unknown counts.", examples=[10]
    )
    window: Seconds = Field(
        gt=0, description="The rolling window, ending now by the API server's clock.", examples=["10m"]
    )


def given_twice(limits: Sequence[Limit]) -> Iterator[Remark]:
    """Refuse a limit given twice: only the smaller could ever hold. Places are as in the section that has `limits`."""
    seen: dict[tuple[str, float], int] = {}
    for index, limit in enumerate(limits):
        first = seen.setdefault((limit.scope, limit.window), index)
        if first != index:
            yield Remark(
                at=("limits", index),
                message=f"scope {limit.scope} with window {duration_text(limit.window)} stands in limits[{first}] "
                "already; allowed is one limit for the two together",
                about=tuple(("limits", place, key) for place in (first, index) for key in ("scope", "window")),
            )


def doubtful(limits: Sequence[Limit]) -> Iterator[Remark]:
    """Name limits that bound nothing, and limits that stop everything."""
    if not any(limit.scope == "cluster" for limit in limits):
        yield Remark(
            at=("limits",), message="none for scope cluster: nothing bounds the evictions of the whole cluster"
        )
    for index, limit in enumerate(limits):
        if limit.max == 0:
            yield Remark(at=("limits", index, "max"), message=f"seen 0: no {limit.scope} allows any eviction")


class CoolDown(Section):
    """How long a (workload, node) pair rests after an eviction; grows by `factor` while moves do not help."""

    initial: Seconds = Field(
        default=600.0,
        description="The first rest. 0s: none. Default 10m: the time a moved pod needs to show whether the move "
        "helped.",
    )
    factor: Number = Field(
        default=2.0,
        ge=1,
        description="What the rest is multiplied by after each move that did not help. 1: it stays the same. Default "
        "2: a workload that no node helps is left in peace after a few tries.",
    )
    max: Seconds = Field(
        default=86400.0,
        description="The longest rest. Not less than initial. Default 1d: what did not help for a day is tried again.",
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse a longest rest that is shorter than the first."""
        if self.max < self.initial:
            yield Remark(
                at=("max",),
                message=f"seen {duration_text(self.max)}, less than initial ({duration_text(self.initial)}); allowed "
                "is initial or longer",
                about=(("max",), ("initial",)),
            )
