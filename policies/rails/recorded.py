"""A pod is evicted once: what the ledger says of its UID, unless it was refused, forbids a second attempt.

The call of an earlier attempt may still arrive. Observing runs report each pod once for the same reason.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "recorded"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that a record or a victim of this cycle stands for."""
    uid = candidate.pod.uid
    if any(victim.candidate.pod.uid == uid for victim in situation.victims):
        return Refusal(RAIL, f"{candidate.pod} is chosen already in this cycle")
    for record in situation.view.records_of_pod.get(uid, ()):
        if situation.counts(record):
            return Refusal(RAIL, f"record {record.name} stands for this pod already: {record.state}")
    return None
