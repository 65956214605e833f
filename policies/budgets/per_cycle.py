"""At most `eviction.victimsPerNode` pods leave a node in one cycle; then its fresh samples are awaited."""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "victims-per-node"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse where this cycle has taken enough from the node."""
    most = situation.policy.eviction.victims_per_node
    chosen = sum(1 for victim in situation.victims if victim.candidate.node == candidate.node)
    if chosen < most:
        return None
    message = f"{chosen} pods of {candidate.node} chosen in this cycle, eviction.victimsPerNode is {most}"
    return Refusal(RAIL, message, Scope.NODE)
