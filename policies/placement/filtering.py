"""The filter: which names of a request a pod may go to, and why not to the others; never a name that was not asked for.

Order: pods we have no say in pass, then pods that the active plan places get their node, whatever else holds; for the
others the nominated node passes, then the checks, each on what the one before left.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from policies.placement import congestion, plans, steering
from policies.placement.reasons import PLAN_REASONS, Reason
from policies.placement.views import Check, Field, View
from policies.values.pods import Pod

# In order. The active plan goes first: a pod that it places is asked for nothing else.
CHECKS: Final[tuple[Check, ...]] = (
    plans.check_destination,
    plans.check_hold,
    plans.check_room,
    plans.check_company,
    steering.check,
    congestion.check,
)
_PLANNED: Final = CHECKS[:1]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterDecision:
    """What a filter call gets: `passed` in the order asked, `refused` by reason; `exempt` says why all pass."""

    passed: Sequence[str]
    refused: Mapping[Reason, Sequence[str]] = field(default_factory=dict)
    exempt: str | None = None

    @property
    def kept_waiting(self) -> bool:
        """Whether nothing passed, and the active plan had a part in it."""
        return not self.passed and not PLAN_REASONS.isdisjoint(self.refused)

    @property
    def emptied(self) -> bool:
        """Whether nothing passed, and buoyancy had a part in it."""
        return not self.passed and Reason.BUOYANCY in self.refused


def decide_filter(pod: Pod, names: Collection[str], view: View) -> FilterDecision:
    """Decide on the names of one request, which holds none of them twice."""
    exempt = view.reach.exemption(pod)
    if exempt is not None:
        return FilterDecision(passed=[*names], exempt=exempt)
    left = names.copy() if isinstance(names, dict) else dict.fromkeys(names)  # a copy costs a tenth
    # A plan may have put the pod elsewhere since it was nominated.
    safe = not view.planned and _set_aside(pod.nominated_node, left)
    refused: dict[Reason, Sequence[str]] = {}
    for check in _PLANNED if view.planned else CHECKS:
        reason, shut = check(pod, Field(len(names), left, safe), view)
        if shut:
            refused[reason] = shut
            for name in shut:
                del left[name]
    passed = [name for name in names if name in left or name == pod.nominated_node] if safe else [*left]
    return FilterDecision(passed=passed, refused=refused)


def _set_aside(nominated: str | None, left: dict[str, None]) -> bool:
    """Take the nominated node out: refused, it would cost the next victims [seen: six pods deleted for nothing]."""
    if nominated is None or nominated not in left:
        return False
    del left[nominated]
    return True
