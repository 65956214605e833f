"""Nobody is evicted while more than `eviction.maxUnusableNodes` of the nodes are cordoned, not Ready or going.

Many such nodes mean an upgrade or an outage: the rest will need its room, and evictions would only add to the stir.
They resume by themselves when the nodes are back.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "unusable-nodes"


def check(_candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse everything while too many nodes take no pods."""
    nodes, unusable = situation.cluster.nodes, len(situation.view.unusable)
    most = situation.policy.eviction.max_unusable_nodes
    if unusable <= most * len(nodes) + 1e-9:
        return None
    message = f"{unusable} of {len(nodes)} nodes take no pods (cordoned, not Ready or going), at most {most:.0%} may"
    return Refusal(RAIL, message, Scope.CLUSTER)
