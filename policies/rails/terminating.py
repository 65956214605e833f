"""Pods that are going already are left alone: somebody has evicted or deleted them before."""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "terminating"


def check(candidate: Candidate, _situation: Situation) -> Refusal | None:
    """Refuse pods with a deletion timestamp."""
    if not candidate.pod.terminating:
        return None
    return Refusal(RAIL, f"{candidate.pod} is terminating already")
