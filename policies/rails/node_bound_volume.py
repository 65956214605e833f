"""Pods whose volume exists on one node only are never evicted; nor those whose claim is unbound or unknown.

A volume is bound to a node if it is `local` or `hostPath`, if its node affinity names a single host, or if one node at
most has what it asks for (drivers of local disks label nodes by keys of their own). Zones and regions bind to no node.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal
from policies.values.volumes import Volume

RAIL: Final = "node-bound-volume"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods with a volume that cannot follow, or of which that is not known."""
    for name in candidate.pod.claims:
        why = _why(f"{candidate.pod.namespace}/{name}", situation)
        if why is not None:
            return Refusal(RAIL, why)
    return None


def _why(key: str, situation: Situation) -> str | None:
    claim = situation.cluster.claims.get(key)
    if claim is None:
        return f"claim {key} is not known"
    if claim.volume is None:
        return f"claim {key} is unbound"
    volume = situation.cluster.volumes.get(claim.volume)
    if volume is None:
        return f"volume {claim.volume} of claim {key} is not known"
    if volume.local or _reaches_one_node(volume, situation):
        return f"volume {claim.volume} of claim {key} exists on one node only"
    return None


def _reaches_one_node(volume: Volume, situation: Situation) -> bool:
    terms = volume.node_terms
    if terms is None or any(_is_wide(one.key) for term in terms for one in term.expressions):
        return False
    nodes = situation.cluster.nodes.values()
    return sum(any(term.matches(node.labels, node.name) for term in terms) for node in nodes) <= 1


def _is_wide(key: str) -> bool:
    return "zone" in key or "region" in key
