"""Pods on a node that is being drained, removed or is not Ready are left alone: somebody else is at work there.

Draining shows as cordon, as deletion, or as the taint of Cluster Autoscaler or Karpenter.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "source-node"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods whose node is cordoned, not Ready, terminating, about to be removed, or not known."""
    known = candidate.node in situation.cluster.nodes
    why = situation.view.unusable.get(candidate.node) if known else "not known"
    return None if why is None else Refusal(RAIL, f"node {candidate.node} is {why}", Scope.NODE)
