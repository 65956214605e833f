"""What a placement decision rests on besides the pod and the names, and what the checks of the filter see; no logic."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from policies.model.buoyancy import Buoyancy
from policies.placement.ratings import Ratings
from policies.placement.reasons import Reason
from policies.placement.scope import Reach
from policies.plans.sights import PlanSight
from policies.values.pods import Pod

# Names in the order asked, none of them twice; whether a name is among them costs no search.
Names: TypeAlias = Mapping[str, None]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The state at one request.

    `steered` are the nodes that this pod's workload was just evicted from, with the time of the newest eviction.
    `hold_over` tells that `maxHold` has passed for this pod; `emptied` that buoyancy alone left it no node when it
    was last filtered. `plan` is what the active plan means to the pod, None without one; `plan_first` tells that the
    pod's preemption waits for a plan that may still come.
    """

    reach: Reach
    buoyancy: Buoyancy
    ratings: Ratings = field(default_factory=Ratings)
    steered: Mapping[str, float] = field(default_factory=dict)
    hold_over: bool = False
    emptied: bool = False
    plan: PlanSight | None = None
    plan_first: bool = False

    @property
    def planned(self) -> bool:
        """Whether the active plan places the pod."""
        return self.plan is not None and self.plan.planned


@dataclass(frozen=True, slots=True)
class Field:
    """The nodes of a request that a check may still refuse.

    `asked` counts the names of the whole request; `safe` tells that another name (the nominated node) passes in any
    case, so that every one of `left` may go.
    """

    asked: int
    left: Names
    safe: bool


Check: TypeAlias = Callable[[Pod, Field, View], tuple[Reason, Sequence[str]]]
