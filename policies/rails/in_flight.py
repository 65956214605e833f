"""One pod of a workload is on its way at a time, until its replacement has been Ready for `eviction.readyFor`.

An eviction whose replacement never shows is given up after `eviction.landingTimeout`. Readiness is read from the
replacement itself where it is known, so a pod that flaps starts the wait anew.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.records import EvictionRecord, Landing
from policies.values.refusals import Refusal, Scope

RAIL: Final = "in-flight"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse while another pod of the workload is in flight."""
    ref = situation.ref(candidate)
    for victim in situation.unrecorded_victims():
        if situation.ref(victim.candidate) == ref:
            return Refusal(RAIL, f"{victim.candidate.pod} of {ref} was chosen in this cycle", Scope.WORKLOAD)
    for record in situation.view.records_of.get(ref, ()):
        if is_in_flight(record, situation):
            since = situation.now - record.at
            return Refusal(RAIL, f"{record.pod} of {ref} was evicted {since:.0f} s ago, not settled", Scope.WORKLOAD)
    return None


def is_in_flight(record: EvictionRecord, situation: Situation) -> bool:
    """Tell whether an eviction still waits for its replacement; an observed one never happened, so it does not."""
    eviction = situation.policy.eviction
    if not record.counts or situation.now - record.at >= eviction.landing_timeout:
        return False
    if record.verification.landing in {Landing.SCALED_DOWN, Landing.TIMED_OUT}:
        return False
    since = _ready_since(record, situation)
    return since is None or situation.now - since < eviction.ready_for


def _ready_since(record: EvictionRecord, situation: Situation) -> float | None:
    found = record.verification
    replacement = situation.cluster.pods.get(found.replacement_uid or "")
    if replacement is None:
        return found.ready_at
    return replacement.ready_since if replacement.ready else None
