"""Pods that keep data on their node are never evicted: emptyDir and hostPath volumes stay behind."""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "local-storage"


def check(candidate: Candidate, _situation: Situation) -> Refusal | None:
    """Refuse pods with volumes that live on the node."""
    volumes = candidate.pod.local_storage
    if not volumes:
        return None
    return Refusal(RAIL, f"local storage on {candidate.node}: {', '.join(volumes)}")
