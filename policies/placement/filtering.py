"""The filter: which names of a request a pod may go to, and why not to the others; never a name that was not asked for.

Order: pods we have no say in pass, the nominated node passes, then the checks, each on what the one before left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from policies.placement import congestion, steering
from policies.placement.reasons import Reason
from policies.placement.views import Check, Field, View
from policies.values.pods import Pod

# In order. The check of an active plan goes first: what it places skips the others.
CHECKS: Final[tuple[Check, ...]] = (steering.check, congestion.check)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterDecision:
    """What a filter call gets: `passed` in the order asked, `refused` by reason; `exempt` says why all pass."""

    passed: Sequence[str]
    refused: Mapping[Reason, Sequence[str]] = field(default_factory=dict)
    exempt: str | None = None

    @property
    def emptied(self) -> bool:
        """Whether nothing passed, and buoyancy had a part in it."""
        return not self.passed and Reason.BUOYANCY in self.refused


def decide_filter(pod: Pod, names: Sequence[str], view: View) -> FilterDecision:
    """Decide on the names of one request, which holds none of them twice."""
    exempt = view.reach.exemption(pod)
    if exempt is not None:
        return FilterDecision(passed=names, exempt=exempt)
    left, safe = _without_nominated(pod, names)
    refused: dict[Reason, Sequence[str]] = {}
    for check in CHECKS:
        reason, shut = check(pod, Field(len(names), left, safe), view)
        if shut:
            refused[reason] = shut
            gone = set(shut)
            left = [name for name in left if name not in gone]
    if not refused:
        return FilterDecision(passed=names)
    return FilterDecision(passed=_with_nominated(pod, names, left, safe=safe), refused=refused)


def _without_nominated(pod: Pod, names: Sequence[str]) -> tuple[Sequence[str], bool]:
    """Set the nominated node aside: refused, it would cost the next victims [seen: six pods deleted for nothing]."""
    if pod.nominated_node is None or pod.nominated_node not in names:
        return names, False
    return [name for name in names if name != pod.nominated_node], True


def _with_nominated(pod: Pod, names: Sequence[str], left: Sequence[str], *, safe: bool) -> Sequence[str]:
    if not safe:
        return left
    keep = {*left, pod.nominated_node}
    return [name for name in names if name in keep]
