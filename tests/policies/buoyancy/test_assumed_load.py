"""Assumed load of pods that came or went lately."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.assumed_load import (
    Change,
    Changes,
    Sampling,
    assumed,
    assumed_loads,
    unseen_share,
    use_ratio,
    with_load,
)

MINUTE = Sampling(newest=1000.0, rate_window=60.0)
TIMES = st.floats(800, 1200)
USES = st.floats(-4, 4)


@pytest.mark.parametrize(
    ("at", "share"), [(1010, 1.0), (1000, 1.0), (985, 0.75), (940, 0.0), (100, 0.0), (math.inf, 1.0), (-math.inf, 0.0)]
)
def test_a_change_fades_with_the_rate_window(at: float, share: float) -> None:
    assert unseen_share(at, MINUTE) == pytest.approx(share)


def test_a_gauge_sees_a_pod_at_once() -> None:
    gauge = Sampling(newest=1000.0, rate_window=0.0)

    assert unseen_share(1000.0, gauge) == 0.0
    assert unseen_share(1000.1, gauge) == 1.0


def test_pods_that_ended_subtract_with_the_same_share() -> None:
    came_and_went = [Change(at=985.0, use=0.5), Change(at=985.0, use=-0.5)]

    assert assumed(came_and_went, sampling=MINUTE, full_capacity=4.0) == 0.0
    assert assumed(came_and_went[1:], sampling=MINUTE, full_capacity=4.0) == pytest.approx(-0.09375)


@pytest.mark.parametrize("capacity", [0.0, -1.0, math.nan])
def test_without_a_capacity_there_is_no_assumed_load(capacity: float) -> None:
    assert assumed([Change(at=1001.0, use=0.5)], sampling=MINUTE, full_capacity=capacity) == 0.0


@pytest.mark.parametrize("use", [math.inf, math.nan])
def test_a_use_that_is_no_number_assumes_nothing(use: float) -> None:
    assert assumed([Change(at=1001.0, use=use)], sampling=MINUTE, full_capacity=4.0) == 0.0


@pytest.mark.parametrize(
    ("use", "requested", "ratio"),
    [(1.0, 2.0, 0.5), (0.0, 2.0, 0.0), (None, 2.0, 1.0), (1.0, 0.0, 1.0), (-1.0, 2.0, 1.0), (math.nan, 2.0, 1.0)],
)
def test_ratio_is_1_without_history(use: float | None, requested: float, ratio: float) -> None:
    assert use_ratio(use, requested) == ratio


def test_load_never_takes_a_score_below_0_nor_makes_a_missing_one_known() -> None:
    loaded = with_load(np.array([0.1, math.nan]), np.array([-0.5, 0.5]))

    assert loaded.tolist() == pytest.approx([0.0, math.nan], nan_ok=True)


@given(st.lists(st.tuples(st.integers(0, 2), TIMES, USES), max_size=20), st.sampled_from([0.0, 60.0]))
def test_all_nodes_at_once_are_loaded_as_each_is_alone(changes: list[tuple[int, float, float]], window: float) -> None:
    newest, capacity = np.array([1000.0, 990.0, 1010.0]), np.array([4.0, math.nan, 16.0])
    rows, at, use = (np.array(column) for column in zip(*changes, strict=True)) if changes else (np.empty(0),) * 3

    loads = assumed_loads(
        Changes(rows=rows.astype(np.intp), at=at, use=use), newest=newest, rate_window=window, full_capacity=capacity
    )

    for row in range(3):
        alone = assumed(
            [Change(at=at, use=use) for where, at, use in changes if where == row],
            sampling=Sampling(newest=newest[row], rate_window=window),
            full_capacity=capacity[row],
        )
        assert loads[row] == pytest.approx(alone, abs=1e-9)


@given(st.floats(), st.floats(), st.floats(), st.floats())
def test_whatever_the_numbers_a_load_is_finite(at: float, use: float, newest: float, capacity: float) -> None:
    changes = Changes(rows=np.zeros(1, dtype=np.intp), at=np.array([at]), use=np.array([use]))

    loads = assumed_loads(changes, newest=np.array([newest]), rate_window=60.0, full_capacity=np.array([capacity]))
    alone = assumed(
        [Change(at=at, use=use)], sampling=Sampling(newest=newest, rate_window=60.0), full_capacity=capacity
    )

    assert np.isfinite(loads).all()
    assert math.isfinite(alone)


@given(st.floats(0, 200), st.floats(0, 200))
def test_a_later_bind_is_never_seen_more(age: float, later: float) -> None:
    assert unseen_share(1000 - age, MINUTE) <= unseen_share(1000 - age + later, MINUTE)
