"""A workload rests on a node after an eviction from it, longer each time the move did not help.

The first rest is `eviction.coolDown.initial`; each further move in a row that came back, found no place or left things
no better makes it `factor` times longer, up to `max`. A move that helped starts over. All of it is read from the
records, so it survives a restart, and it is the workload that rests, not the pod's name.
"""

from collections.abc import Sequence
from typing import Final

from policies.model.limits import CoolDown
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.records import EvictionRecord, Landing
from policies.values.refusals import Refusal

RAIL: Final = "cool-down"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse while the pair of workload and source node rests."""
    records = situation.view.records_of.get(situation.ref(candidate), ())
    pair = [record for record in records if record.node == candidate.node and situation.counts(record)]
    if not pair:
        return None
    streak = unhelpful_streak(pair)
    rest = grown(situation.policy.eviction.cool_down, times=max(1, streak))
    left = pair[-1].at + rest - situation.now
    if left <= 0:
        return None
    ref = situation.ref(candidate)
    why = f", {streak} moves in a row did not help" if streak > 1 else ""
    rule = f"{situation.section}.coolDown"
    return Refusal(RAIL, f"{ref} was recently evicted from this node{why}: rests for another {left:.0f} s by {rule}")


def unhelpful_streak(records: Sequence[EvictionRecord]) -> int:
    """Count how many of the newest records in a row did not help; `records` are of one pair, oldest first."""
    streak = 0
    for record in reversed(records):
        if helped(record):
            break
        if is_unhelpful(record):
            streak += 1
    return streak


def helped(record: EvictionRecord) -> bool:
    """Tell whether a move reached another node and something measured there and then did not get worse throughout."""
    if record.verification.landing is not Landing.MOVED:
        return False
    before, after = record.verification.before, record.verification.after
    both = before.keys() & after.keys()
    return not both or any(after[name] > before[name] for name in both)


def is_unhelpful(record: EvictionRecord) -> bool:
    """Tell whether a move is known not to have helped; one still on its way is not known."""
    landing = record.verification.landing
    return landing in {Landing.RETURNED, Landing.TIMED_OUT} or (landing is Landing.MOVED and not helped(record))


def grown(cool_down: CoolDown, *, times: int) -> float:
    """Return `min(max, initial * factor^(times - 1))` in seconds."""
    rest = cool_down.initial
    for _ in range(times - 1):
        # Step by step: the power alone could overflow long after the longest rest is reached.
        if rest >= cool_down.max or cool_down.factor == 1:
            break
        rest *= cool_down.factor
    return min(cool_down.max, rest)
