"""Pods that the system needs are never evicted: by their priority class, or by a priority of 2000000000 and more.

These are the priorities that Kubernetes reserves for system-cluster-critical and system-node-critical.
"""

from typing import Final

from policies.placement.scope import SYSTEM_CRITICAL, SYSTEM_PRIORITY
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "system-critical"


def check(candidate: Candidate, _situation: Situation) -> Refusal | None:
    """Refuse system-critical pods."""
    pod = candidate.pod
    if pod.priority_class in SYSTEM_CRITICAL:
        return Refusal(RAIL, f"priority class {pod.priority_class}")
    if pod.priority >= SYSTEM_PRIORITY:
        return Refusal(RAIL, f"priority {pod.priority}, below {SYSTEM_PRIORITY} is allowed")
    return None
