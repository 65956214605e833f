"""A pod whose eviction was not granted rests before the next attempt: a minute, then twice as long each time.

A missing right or another system's veto does not pass by being asked again; meanwhile another pod may go, and the
ledger does not fill with attempts. The rest never grows beyond `eviction.coolDown.max`.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.records import RecordState
from policies.values.refusals import Refusal

RAIL: Final = "refused-lately"
_FIRST: Final = 60.0  # seconds; arbitrary: longer than a budget or a busy server is usually waited for
_DOUBLINGS: Final = 30  # more would only make the number large: the cool-down's maximum is reached long before


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse while the last refusal of this pod's eviction is too young."""
    records = situation.view.records_of_pod.get(candidate.pod.uid, ())
    refused = [record for record in records if record.state is RecordState.REFUSED]
    if not refused:
        return None
    longest = situation.policy.eviction.cool_down.max
    rest = min(longest, _FIRST * 2.0 ** min(len(refused) - 1, _DOUBLINGS))
    left = refused[-1].at + rest - situation.now
    if left <= 0:
        return None
    times = "once" if len(refused) == 1 else f"{len(refused)} times"
    return Refusal(RAIL, f"its eviction was not granted {times}, tried again in {left:.0f} s")
