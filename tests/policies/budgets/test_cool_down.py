"""The rest after an eviction: longer while moves do not help, from the records alone."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.budgets import cool_down
from policies.model.limits import CoolDown
from policies.rails.situation import Situation
from policies.values.records import EvictionRecord, Landing
from tests.builders import HOUR, NOW
from tests.policies.situations import make_calm_cluster, make_candidate, make_policy, make_record, make_situation

REST = CoolDown(initial=300.0, factor=2.0, max=6 * HOUR)


def _situation(records: list[EvictionRecord], *, at: float = NOW, rest: CoolDown = REST) -> Situation:
    cluster = replace(make_calm_cluster(), now=at)
    return make_situation(cluster, policy=make_policy(cool_down=rest), records=tuple(records))


def test_fc_001_workload_rests_on_the_node_it_returned_to() -> None:
    returned = make_record("web-9", ago=300, landing=Landing.RETURNED, landed_on="n1")
    rest = CoolDown(initial=600.0)

    refusal = cool_down.check(make_candidate(), _situation([returned], rest=rest))

    assert refusal is not None
    assert "recently evicted from this node" in refusal.message
    assert cool_down.check(make_candidate(), _situation([returned], at=NOW + 300, rest=rest)) is None


@pytest.mark.parametrize("restart_at", [None, 3 * HOUR], ids=["one process", "restarted at hour 3"])
def test_fc_003_at_most_ten_evictions_in_a_day_at_growing_distances(restart_at: float | None) -> None:
    records: list[EvictionRecord] = []

    for second in range(0, 24 * 3600, 60):
        at = NOW + second
        if second == restart_at:  # what is left over a restart is the ledger alone
            records = [replace(record, writer="the process before") for record in records]
        if cool_down.check(make_candidate(), _situation(records, at=at)) is None:
            records.append(make_record(f"web-{second}", at=at, landing=Landing.RETURNED, landed_on="n1"))

    times = [record.at for record in records]
    distances = [later - earlier for earlier, later in pairwise(times)]
    assert len(records) <= 10
    assert distances == sorted(distances)
    assert distances[0] == 300
    assert distances[-1] == 6 * HOUR


def test_fc_003_one_successful_move_resets_the_rest() -> None:
    failures = [make_record(f"f{n}", ago=90000 + n, landing=Landing.TIMED_OUT) for n in range(5)]
    success = make_record("web-8", ago=301, landing=Landing.MOVED, landed_on="n2")

    assert cool_down.check(make_candidate(), _situation([*failures, success])) is None


def test_fc_004_a_returned_pod_starts_the_back_off() -> None:
    returned = [make_record(f"web-{n}", ago=ago, landing=Landing.RETURNED) for n, ago in ((8, 1000), (9, 400))]

    refusal = cool_down.check(make_candidate(), _situation(returned))

    assert refusal is not None
    assert "2 moves in a row did not help: rests for another 200 s by eviction.coolDown" in refusal.message


@given(
    initial=st.floats(0, 1e5),
    factor=st.floats(1, 1e6),
    longest=st.floats(0, 1e9),
    times=st.integers(1, 2000),
)
def test_rest_grows_with_every_try_and_never_exceeds_its_longest(
    initial: float, factor: float, longest: float, times: int
) -> None:
    rest = CoolDown(initial=min(initial, longest), factor=factor, max=longest)

    grown = cool_down.grown(rest, times=times)

    assert 0 <= grown <= longest
    assert grown <= cool_down.grown(rest, times=times + 1)


def test_rest_of_zero_stays_zero_however_often_it_failed() -> None:
    assert cool_down.grown(CoolDown(initial=0.0, factor=1e6), times=1000) == 0


@pytest.mark.parametrize(
    ("before", "after", "helped"),
    [
        ({}, {}, True),
        ({"headroom": -0.1}, {}, True),
        ({"headroom": -0.1}, {"headroom": 0.2}, True),
        ({"headroom": -0.1, "slack": 0.3}, {"headroom": -0.2, "slack": 0.4}, True),
        ({"headroom": -0.1}, {"headroom": -0.1}, False),
    ],
)
def test_a_move_helped_unless_everything_measured_is_no_better(
    before: dict[str, float], after: dict[str, float], *, helped: bool
) -> None:
    record = make_record(landing=Landing.MOVED, landed_on="n2", before=before, after=after)

    assert cool_down.helped(record) is helped
    assert cool_down.is_unhelpful(record) is not helped


@pytest.mark.parametrize("landing", [Landing.PENDING, Landing.SCALED_DOWN])
def test_a_move_whose_outcome_says_nothing_neither_helped_nor_failed(landing: Landing) -> None:
    record = make_record(landing=landing)

    assert not cool_down.helped(record)
    assert not cool_down.is_unhelpful(record)
