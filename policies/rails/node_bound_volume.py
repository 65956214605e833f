"""Pods whose volume exists on one node only are never evicted; nor those whose claim is unbound or unknown.

A volume is bound to a node if it is `local` or `hostPath`, or if its node affinity names a single host.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "node-bound-volume"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods with a volume that cannot follow, or of which that is not known."""
    for name in candidate.pod.claims:
        why = _why(f"{candidate.pod.namespace}/{name}", situation)
        if why is not None:
            return Refusal(RAIL, why)
    return None


def _why(key: str, situation: Situation) -> str | None:
    claim = situation.cluster.claims.get(key)
    if claim is None:
        return f"claim {key} is not known"
    if claim.volume is None:
        return f"claim {key} is unbound"
    volume = situation.cluster.volumes.get(claim.volume)
    if volume is None:
        return f"volume {claim.volume} of claim {key} is not known"
    return f"volume {claim.volume} of claim {key} exists on one node only" if volume.local else None
