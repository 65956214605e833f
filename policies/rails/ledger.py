"""Nobody is evicted while the ledger is full: with `eviction.maxRecords` records nothing is written or forgotten.

A record leaves the ledger only when no window and no cool-down needs it any more, so a full ledger means that limits
could not be kept.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "ledger"


def check(_candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse everything where one more record would be too many."""
    most = situation.policy.eviction.max_records
    if len(situation.records) + len(situation.unrecorded_victims()) < most:
        return None
    return Refusal(RAIL, f"{len(situation.records)} records, eviction.maxRecords allows {most}", Scope.CLUSTER)
