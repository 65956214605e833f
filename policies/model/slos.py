"""Service level objectives with soft limits."""

from typing import Literal

from policies.model.fields import Seconds, Section
from policies.model.scope import Selector


class Slo(Section):
    """One objective. Exactly one of `at_most` (lower is better) and `at_least` (higher is better) is given."""

    name: str
    selector: Selector
    namespaces: tuple[str, ...] = ()
    indicator: str
    age: str | None = None
    per: Literal["pod", "workload"] = "pod"
    at_most: float | None = None
    at_least: float | None = None
    window: Seconds = 60.0
    evict_below: float = 0.0
    clear_above: float | None = None
