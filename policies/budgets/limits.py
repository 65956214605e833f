"""Rolling limits: at most so many evictions per window for each workload, namespace, node and for the cluster.

All of `eviction.limits` hold at once, and the refusal names the one that decided and when it frees again. A maximum of
0 means none, not unlimited. What counts is what the ledger holds (an eviction that may have happened counts as one
that did), so limits hold over restarts, whatever the interval of the loop. Observed evictions count only while
observing; real ones always.
"""

from typing import Final

from policies.budgets.counting import counted
from policies.model.limits import Limit
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "limits"


_WIDTH: Final = {"cluster": 0, "namespace": 1, "node": 2, "workload": 3}


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse where one more eviction would exceed a limit; of several exceeded ones the widest scope is named."""
    widest_first = sorted(situation.policy.eviction.limits, key=lambda limit: _WIDTH[limit.scope])
    for limit in widest_first:
        refusal = _check_one(limit, candidate, situation)
        if refusal is not None:
            return refusal
    return None


def _check_one(limit: Limit, candidate: Candidate, situation: Situation) -> Refusal | None:
    used = counted(candidate, limit, situation)
    if len(used) < limit.max:
        return None
    window = f"{limit.max} per {limit.window:.0f} s in {situation.section}.limits"
    if limit.max == 0:
        return Refusal(RAIL, f"{limit.scope} limit of {window}: none is allowed", Scope(limit.scope))
    # Enough of the oldest must leave the window for one more to fit.
    frees = used[len(used) - limit.max] + limit.window - situation.now
    message = f"{limit.scope} limit of {window}: {len(used)} used, frees in {frees:.0f} s"
    return Refusal(RAIL, message, Scope(limit.scope))
