"""StatefulSet pods go one at a time, and of those proposed together the highest ordinal first.

All other pods of the set must be Ready, none terminating, none missing. A proposed pod that something else protects
holds up those with lower ordinals: the order is never jumped.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.pods import Pod
from policies.values.refusals import Refusal

RAIL: Final = "stateful-set-order"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse a StatefulSet pod that is not next in order, or while another one is not Ready."""
    workload = situation.workload(candidate)
    if workload is None or workload.ref.kind != "StatefulSet":
        return None
    others = situation.siblings(candidate)
    unready = sorted(pod.name for pod in others if not pod.ready or pod.terminating)
    if unready:
        return Refusal(RAIL, f"{unready[0]} of {workload.ref} is not Ready")
    if workload.wanted is None or len(others) + 1 < workload.wanted:
        wanted = "unknown" if workload.wanted is None else workload.wanted
        return Refusal(RAIL, f"{workload.ref} has {len(others) + 1} pods that stay, wanted are {wanted}")
    first = max((pod for pod in others if pod.uid in situation.proposed), key=_ordinal, default=candidate.pod)
    if _ordinal(first) <= _ordinal(candidate.pod):
        return None
    return Refusal(RAIL, f"{first.name} is proposed too and goes before {candidate.pod.name}")


def _ordinal(pod: Pod) -> int:
    digits = pod.name.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else -1
