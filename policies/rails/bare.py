"""Pods without a controller are never evicted: nobody would create them again.

This holds for failed ones too.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "bare"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that no controller owns, and pods whose workload is not known."""
    if candidate.pod.owner is None:
        return Refusal(RAIL, f"{candidate.pod} has no controller, so nobody would create it again")
    if situation.ref(candidate) is None:
        owner = candidate.pod.owner
        return Refusal(RAIL, f"the workload behind {owner.kind} {candidate.pod.namespace}/{owner.name} is not known")
    return None
