"""Pods that have run to their end are left alone: they take no resources any more."""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "completed"


def check(candidate: Candidate, _situation: Situation) -> Refusal | None:
    """Refuse pods that succeeded or failed."""
    if not candidate.pod.ended:
        return None
    return Refusal(RAIL, f"{candidate.pod} has ended: phase {candidate.pod.phase}")
