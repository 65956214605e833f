"""Pods of DaemonSets are never evicted: their controller would put them back on the very same node."""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "daemonset"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that belong to a DaemonSet."""
    ref = situation.ref(candidate)
    kinds = {candidate.pod.owner.kind if candidate.pod.owner else "", ref.kind if ref else ""}
    if "DaemonSet" not in kinds:
        return None
    return Refusal(RAIL, f"{candidate.pod} belongs to a DaemonSet and would come back to {candidate.node}")
