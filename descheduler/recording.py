"""The rules of the ledger as pure functions: how a record is named, what an open one became, when one may be forgotten.

Nothing here reads or writes a record.
"""

from collections.abc import Iterable
from typing import Final

from policies.model.policy import Policy
from policies.values.records import EvictionRecord, Landing, RecordState
from policies.values.refusals import Refusal, Scope

RAIL: Final = "ledger"
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
    return Refusal(RAIL, f"{seen}; a pod is {'observed' if observing else 'evicted'} once")


def _number(record_name: str, name: str) -> int:
    """Return which attempt a record is for the pod, 0 where it is about another one."""
    if record_name == name:
        return 1
    rest = record_name.removeprefix(f"{name}-")
    return int(rest) if rest != record_name and rest.isdecimal() else 0


def full(records: tuple[EvictionRecord, ...], policy: Policy) -> Refusal | None:
    """Refuse everything while the ledger holds as many records as it may: forgetting one could lift a limit."""
    most = policy.eviction.max_records
    if len(records) < most:
        return None
    return Refusal(RAIL, f"the ledger holds {len(records)} records, allowed are {most} (maxRecords)", Scope.CLUSTER)


def settled(*, runs: bool, since_call: float) -> RecordState | None:
    """Return what our own call without an answer has become, None while nobody can know."""
    if not runs:
        return RecordState.ACCEPTED
    return RecordState.REFUSED if since_call >= SETTLES_AFTER else None


def retention(policy: Policy) -> float:
    """Return how long (s) a record may still matter: the longest window, cool-down or steering.

    Twice the longest cool-down, since the back-off is read from the record before the last one.
    """
    eviction = policy.eviction
    windows = [limit.window for limit in eviction.limits]
    return max(*windows, 2 * eviction.cool_down.max, policy.steering.avoid_source, eviction.landing_timeout, 0.0)


def forgettable(records: Iterable[EvictionRecord], policy: Policy, *, now: float) -> tuple[EvictionRecord, ...]:
    """Return the records that nothing reads any more, oldest first."""
    horizon = now - retention(policy)
    old = (record for record in records if record.at < horizon and not is_open(record))
    return tuple(sorted(old, key=lambda record: record.at))


def is_open(record: EvictionRecord) -> bool:
    """Tell whether the eviction may have happened and its landing is not known yet."""
    return record.counts and record.verification.landing is Landing.PENDING
