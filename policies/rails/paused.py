"""While `eviction.paused` is set nobody is evicted; deciding and reporting go on.

Set it during an upgrade or an incident; it takes effect with the next cycle, without a restart.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "paused"


def check(_candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse everything while the policy is paused."""
    if not situation.policy.eviction.paused:
        return None
    return Refusal(RAIL, "eviction.paused is set in the policy", Scope.CLUSTER)
