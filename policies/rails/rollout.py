"""Workloads that are being rolled out or scaled are left alone, and those whose state is not known.

A pod evicted in between would come back from another revision, or count twice against the rollout's own budget.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "rollout"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods whose workload is not at rest."""
    workload = situation.workload(candidate)
    if workload is None:
        return Refusal(RAIL, f"the state of {situation.ref(candidate)} is not known", Scope.WORKLOAD)
    if workload.rollout is None:
        return None
    return Refusal(RAIL, f"{workload.ref} is in a rollout: {workload.rollout}", Scope.WORKLOAD)
