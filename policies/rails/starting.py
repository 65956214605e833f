"""A workload some of whose pods are starting is left alone: it is being scaled up, rolled out or healed just now.

Starting is a pod that is not Ready and younger than `eviction.landingTimeout`, bound or not. One that has failed for
longer is no reason: then a broken replica would keep its siblings on a hot node for ever, and the floor counts it out.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "starting"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse while another pod of the workload has not become Ready yet."""
    youngest = situation.now - situation.policy.eviction.landing_timeout
    starting = sorted(str(pod) for pod in situation.unready_siblings(candidate) if pod.created_at > youngest)
    if not starting:
        return None
    more = len(starting) - 1
    who = f"{starting[0]} and {more} more" if more else starting[0]
    message = f"{who} of {situation.ref(candidate)} {'have' if more else 'has'} not become Ready yet"
    return Refusal(RAIL, message, Scope.WORKLOAD)
