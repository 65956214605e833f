"""Which pods a plan keeps waiting whole, and when a preemption waits for a plan; knows no node."""

from dataclasses import dataclass
from typing import Final

from policies.model.policy import Policy
from policies.values.plans import Plan

# A leader renews every 2 s, and others take over after 15 s without.
LEADER_SILENT_FOR: Final = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """How many other pods are held, at most how many may be, and whether the pod asking is among them already."""

    others: int
    most: int
    already: bool = False


def is_held(plan: Plan, crowd: Crowd, *, everybody: bool) -> bool:
    """Tell whether a pod that the plan does not place has to wait until it is over.

    A blocking run holds everybody; `hold: all` not more than `maxHeld`, those first who have waited before.
    """
    if everybody:
        return True
    return plan.hold == "all" and plan.revision != 0 and (crowd.already or crowd.others < crowd.most)


def may_come(policy: Policy, *, leader_silent_for: float) -> bool:
    """Tell whether a plan could come for a pending pod: somebody computes some, carries them out, and is alive."""
    enforced = policy.eviction.mode == "enforce" and policy.plan.trigger != "off"
    return enforced and leader_silent_for <= LEADER_SILENT_FOR
