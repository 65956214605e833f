"""Pods younger than `eviction.minPodAge` are left alone, counted from when they last became Ready.

A young pod is warming up: what it takes now says little, and moving it feeds loops.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "min-age"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that are too young, or whose age is not known."""
    pod, least = candidate.pod, situation.policy.eviction.min_pod_age
    known = [at for at in (pod.started_at, pod.ready_since) if at is not None]
    if not known:
        return Refusal(RAIL, "too young: not started yet")
    age = situation.now - max(known)
    if age >= least:
        return None
    setting = f"{situation.section}.minPodAge"
    return Refusal(RAIL, f"too young: {age:.0f} s since it became Ready, {setting} is {least:.0f} s")
