"""Pods of Jobs (and so of CronJobs) are never evicted: their work would be lost and begin anew."""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "job"
_KINDS: Final = frozenset({"Job", "CronJob"})


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that a Job runs."""
    ref, owner = situation.ref(candidate), candidate.pod.owner
    if not _KINDS & {ref.kind if ref else "", owner.kind if owner else ""}:
        return None
    return Refusal(RAIL, f"{candidate.pod} runs a Job and would lose its work", Scope.WORKLOAD)
