"""After the eviction `eviction.minReadyReplicas` replicas must be left that are Ready and not terminating.

The default of 2 leaves single replicas and pairs alone. Pods chosen in the same cycle no longer count.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "ready-floor"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse where too few Ready replicas would be left."""
    floor = situation.policy.eviction.min_ready_replicas
    left = situation.ready_siblings(candidate)
    if left >= floor:
        return None
    ref = situation.ref(candidate)
    setting = f"{situation.section}.minReadyReplicas"
    return Refusal(RAIL, f"{left} Ready replicas of {ref} would be left, {setting} is {floor}")
