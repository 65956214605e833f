"""Pods outside the policy's `scope` are left alone: by namespace, by label, by scheduler name.

A pod that another scheduler places is out of scope because nothing would keep its replacement off the node it left.
"""

from typing import Final

from policies.placement.scope import Reach
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "scope"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that the policy does not name."""
    reach = Reach.of(situation.policy.scope, situation.own_namespace)
    why = reach.exemption(candidate.pod)
    return None if why is None else Refusal(RAIL, f"{candidate.pod}: {why}")
