"""Static pods and their mirrors are never evicted: the kubelet runs them from a file, only there."""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "static"


def check(candidate: Candidate, _situation: Situation) -> Refusal | None:
    """Refuse mirror pods and pods that come from a file of the node."""
    if not candidate.pod.static:
        return None
    return Refusal(RAIL, f"{candidate.pod} is run by the kubelet from a file of {candidate.node}")
