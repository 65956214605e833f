"""Pods that do not run yet are left alone, bound or not, also on a node that is not Ready.

Only Running pods take what is contended for; helping stuck ones is not contention's business.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.pods import Phase
from policies.values.refusals import Refusal

RAIL: Final = "pending"


def check(candidate: Candidate, _situation: Situation) -> Refusal | None:
    """Refuse pods that are not bound or not Running."""
    if candidate.pod.node is None:
        return Refusal(RAIL, f"{candidate.pod} is not bound to a node")
    if candidate.pod.phase is not Phase.RUNNING:
        return Refusal(RAIL, f"phase {candidate.pod.phase}, only Running pods are moved")
    return None
