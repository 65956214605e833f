"""Rolling limits hold at every scope, in any order of events, over restarts and whatever the interval of the loop."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.budgets import limits
from policies.model.limits import Limit
from policies.rails.situation import Situation
from policies.values.candidates import Candidate, Victim
from policies.values.records import EvictionRecord, RecordState
from policies.values.workloads import WorkloadRef
from tests.builders import NOW, make_pod
from tests.policies.situations import make_calm_cluster, make_candidate, make_policy, make_record, make_situation

COUNTING = (RecordState.INTENT, RecordState.ACCEPTED, RecordState.UNKNOWN)


def _situation(*, at: float, caps: tuple[Limit, ...], records: tuple[EvictionRecord, ...]) -> Situation:
    policy = make_policy(limits=caps)
    return make_situation(replace(make_calm_cluster(), now=at), policy=policy, records=records)


def _candidate(workload: str, namespace: str, node: str) -> Candidate:
    pod = make_pod(f"{workload}-x", node=node, namespace=namespace, workload=workload)
    return make_candidate(pod, workload=WorkloadRef("Deployment", namespace, workload))


def _record(candidate: Candidate, *, at: float, state: RecordState, number: int) -> EvictionRecord:
    pod = candidate.pod
    record = make_record(f"p{number}", at=at, state=state, node=candidate.node, namespace=pod.namespace)
    return replace(record, workload=candidate.workload)


def members(limit: Limit, record: EvictionRecord) -> object:
    return {
        "workload": record.workload,
        "namespace": record.namespace,
        "node": record.node,
        "cluster": None,
    }[limit.scope]


def most_in_any_window(limit: Limit, records: list[EvictionRecord]) -> int:
    """Return the largest number of counting records of one member within one window, by brute force."""
    real = [record for record in records if record.counts]
    return max(
        (
            sum(
                1
                for other in real
                if members(limit, other) == members(limit, record) and 0 <= other.at - record.at < limit.window
            )
            for record in real
        ),
        default=0,
    )


CAPS = st.lists(
    st.builds(
        Limit,
        scope=st.sampled_from(("workload", "namespace", "node", "cluster")),
        max=st.integers(0, 4),
        window=st.sampled_from((60.0, 300.0, 3600.0)),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda limit: (limit.scope, limit.window),
)
ATTEMPTS = st.lists(
    st.tuples(
        st.integers(0, 200).map(float),  # seconds since the attempt before
        st.sampled_from(("web", "api")),
        st.sampled_from(("shop", "bank")),
        st.sampled_from(("n1", "n2", "n3")),
        st.sampled_from((*COUNTING, RecordState.REFUSED, RecordState.OBSERVED)),
    ),
    max_size=40,
)


@given(caps=CAPS, attempts=ATTEMPTS, seed=st.integers(0, 2**16))
def test_no_limit_is_exceeded_in_any_order_of_events(
    caps: list[Limit], attempts: list[tuple[float, str, str, str, RecordState]], seed: int
) -> None:
    records: list[EvictionRecord] = []
    shuffle, at = random.Random(seed), NOW  # an order, not a secret

    for number, (pause, workload, namespace, node, state) in enumerate(attempts):
        at += pause
        shuffle.shuffle(records)
        candidate = _candidate(workload, namespace, node)
        if limits.check(candidate, _situation(at=at, caps=tuple(caps), records=tuple(records))) is None:
            records.append(_record(candidate, at=at, state=state, number=number))

    for limit in caps:
        assert most_in_any_window(limit, records) <= limit.max


@given(caps=CAPS, attempts=ATTEMPTS)
def test_victims_of_one_cycle_exceed_no_limit(
    caps: list[Limit], attempts: list[tuple[float, str, str, str, RecordState]]
) -> None:
    situation = _situation(at=NOW, caps=tuple(caps), records=())
    records: list[EvictionRecord] = []

    for number, (_, workload, namespace, node, _) in enumerate(attempts):
        candidate = _candidate(workload, namespace, node)
        candidate = replace(candidate, pod=replace(candidate.pod, uid=f"uid-p{number}"))
        if limits.check(candidate, situation) is None:
            situation = situation.plus(Victim(candidate=candidate, destination="n9"))
            records.append(_record(candidate, at=NOW, state=RecordState.INTENT, number=number))

    for limit in caps:
        assert most_in_any_window(limit, records) <= limit.max


@given(caps=CAPS, attempts=ATTEMPTS)
def test_refusal_tells_exactly_when_the_limit_frees(
    caps: list[Limit], attempts: list[tuple[float, str, str, str, RecordState]]
) -> None:
    at = NOW
    records = []
    for number, (pause, workload, namespace, node, state) in enumerate(attempts):
        at += pause
        records.append(_record(_candidate(workload, namespace, node), at=at, state=state, number=number))
    cap, candidate = caps[0], _candidate("web", "shop", "n1")

    refusal = limits.check(candidate, _situation(at=at, caps=(cap,), records=tuple(records)))

    if refusal is None or cap.max == 0:
        return
    frees = float(refusal.message.rpartition("frees in ")[2].removesuffix(" s"))
    later, sooner = (_situation(at=at + wait, caps=(cap,), records=tuple(records)) for wait in (frees, frees - 1))
    assert limits.check(candidate, later) is None
    assert limits.check(candidate, sooner) is not None


def test_a_victim_and_its_record_count_once() -> None:
    cap = Limit(scope="cluster", max=2, window=600.0)
    other = make_candidate(make_pod("api-0", workload="api"))
    victim = Victim(candidate=other, destination="n3")
    situation = _situation(at=NOW, caps=(cap,), records=(make_record("api-0", workload="api"),))

    assert limits.check(make_candidate(), situation.plus(victim)) is None


def test_record_dated_after_now_counts_as_well() -> None:
    cap = Limit(scope="cluster", max=1, window=600.0)

    refusal = limits.check(make_candidate(), _situation(at=NOW, caps=(cap,), records=(make_record(ago=-30.0),)))

    assert refusal is not None
    assert refusal.message == "cluster limit of 1 per 600 s in eviction.limits: 1 used, frees in 630 s"


def test_of_several_exceeded_limits_the_widest_is_named() -> None:
    caps = tuple(Limit(scope=scope, max=1, window=600.0) for scope in ("workload", "node", "cluster"))

    refusal = limits.check(make_candidate(), _situation(at=NOW, caps=caps, records=(make_record(ago=60.0),)))

    assert refusal is not None
    assert refusal.message.startswith("cluster limit of 1 per 600 s")


@pytest.mark.parametrize("interval", [10, 300])
@pytest.mark.parametrize("restart", [False, True])
def test_fc_031_six_in_ten_minutes_whatever_the_interval_and_over_a_restart(interval: int, *, restart: bool) -> None:
    cap = Limit(scope="workload", max=6, window=600.0)
    records: list[EvictionRecord] = []

    for second in range(0, 3600, interval):
        at = NOW + second
        if restart and len(records) == 4:  # what is left over a restart is the ledger alone
            records = [replace(record, writer="the process before") for record in records]
        candidate = _candidate("web", "default", f"n{second}")
        if limits.check(candidate, _situation(at=at, caps=(cap,), records=tuple(records))) is None:
            records.append(make_record(f"web-{second}", at=at, node=f"n{second}"))

    assert most_in_any_window(cap, records) <= 6
    assert len(records) == min(36, 3600 // interval)


def test_fc_009_ten_candidates_of_two_rules_share_one_cluster_limit() -> None:
    cap = Limit(scope="cluster", max=6, window=3600.0)
    records: list[EvictionRecord] = []

    for minute in range(120):
        rule = ("soft-slo", "buoyancy")[minute % 2]
        at = NOW + 60 * minute
        candidate = make_candidate(make_pod(f"{rule}-{minute}", workload=f"w{minute}"), rule=rule)
        if limits.check(candidate, _situation(at=at, caps=(cap,), records=tuple(records))) is None:
            records.append(make_record(f"{rule}-{minute}", at=at, workload=f"w{minute}", rule=rule))

    assert most_in_any_window(cap, records) == 6
