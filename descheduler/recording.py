"""The rules of the ledger as pure functions: how a record is named, what an open one became, when one may be forgotten.

Nothing here reads or writes a record.
"""

import math
from collections.abc import Iterable
from typing import Final

from policies.model.policy import Policy
from policies.rails import recorded
from policies.values.records import EvictionRecord, Landing, RecordState
from policies.values.refusals import Refusal

OBSERVED_PREFIX: Final = "observed-"
# kube-apiserver ends a request after 60 s; 10 s more for clocks that run apart and a slow connection (arbitrary).
SETTLES_AFTER: Final = 70.0


def name_for(pod_uid: str, records: Iterable[EvictionRecord], *, observing: bool) -> str | Refusal:
    """Return the name of the next record of a pod, or why there must be none.

    One record per pod, so that no process, however late, evicts twice: a next number exists only after the last
    attempt was refused for certain.
    """
    name = f"{OBSERVED_PREFIX}{pod_uid}" if observing else pod_uid
    attempts = {_number(record.name, name): record for record in records if _number(record.name, name)}
    if not attempts:
        return name
    last = attempts[max(attempts)]
    if last.state is RecordState.REFUSED:
        return f"{name}-{max(attempts) + 1}"
    seen = f"the record {last.name} of this pod says {last.state}"
    return Refusal(recorded.RAIL, f"{seen}; a pod is {'observed' if observing else 'evicted'} once")


def _number(record_name: str, name: str) -> int:
    """Return which attempt a record is for the pod, 0 where it is about another one."""
    if record_name == name:
        return 1
    rest = record_name.removeprefix(f"{name}-")
    return int(rest) if rest != record_name and rest.isdecimal() else 0


def settled(*, runs: bool, since_call: float) -> RecordState | None:
    """Return what our own call without an answer has become, None while nobody can know."""
    if not runs:
        return RecordState.ACCEPTED
    return RecordState.REFUSED if since_call >= SETTLES_AFTER else None


def retention(policy: Policy) -> float:
    """Return how long (s) a record may still matter: the longest window, cool-down, steering or wait.

    Twice the longest cool-down: it has just ended when the next eviction asks how the last one went.
    """
    eviction, plans = policy.eviction, policy.plan.eviction
    limits = (*eviction.limits, *plans.limits) if policy.plan.active else eviction.limits
    longest = max(eviction.cool_down.max, plans.cool_down.max) if policy.plan.active else eviction.cool_down.max
    windows = [limit.window for limit in limits]
    return max(*windows, 2 * longest, policy.steering.avoid_source, eviction.landing_timeout, 0.0)


def forgettable(records: Iterable[EvictionRecord], policy: Policy, *, now: float) -> tuple[EvictionRecord, ...]:
    """Return the records that nothing reads any more, oldest first.

    The back-off counts the moves of a workload off a node that did not help in a row, so these are kept together:
    none is forgotten before the newest of them.
    """
    horizon = now - retention(policy)
    newest: dict[object, float] = {}
    by_age = sorted(records, key=lambda record: record.at)
    for record in by_age:
        if record.state is not RecordState.REFUSED:
            newest[_series(record)] = record.at
    return tuple(
        record
        for record in by_age
        if record.at < horizon and newest.get(_series(record), -math.inf) < horizon and not is_open(record)
    )


def _series(record: EvictionRecord) -> object:
    return record.workload, record.node, record.state is RecordState.OBSERVED


def is_open(record: EvictionRecord) -> bool:
    """Tell whether the eviction may have happened and its landing is not known yet."""
    return record.counts and record.verification.landing is Landing.PENDING
