"""Slack of single samples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.slack import slack_at_least, slack_at_most

FINITE = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=1e-6, max_value=1e9)


def test_less_is_better() -> None:
    assert slack_at_most(np.array([0.1, 0.2, 0.5]), 0.2).tolist() == pytest.approx([0.5, 0.0, -1.5])


def test_more_is_better() -> None:
    assert slack_at_least(np.array([0.0, 900.0, 1000.0]), 1000.0).tolist() == pytest.approx([-1.0, -0.1, 0.0])


def test_more_than_twice_the_objective_is_clipped() -> None:
    assert slack_at_least(np.array([2500.0]), 1000.0).tolist() == [1.0]


def test_at_the_knee_of_the_paper_a_third_is_left() -> None:
    assert slack_at_most(np.array([100.0]), 150.0).tolist() == pytest.approx([1 / 3])


@pytest.mark.parametrize("objective", [0.0, -0.2, math.nan, math.inf, -math.inf])
def test_without_a_positive_objective_there_is_no_slack(objective: float) -> None:
    assert np.isnan(slack_at_most(np.array([0.1, 0.3]), objective)).all()
    assert np.isnan(slack_at_least(np.array([0.1, 0.3]), objective)).all()


@pytest.mark.parametrize("measured", [math.nan, math.inf, -math.inf, 1.7e308])
def test_what_is_no_number_is_no_sample(measured: float) -> None:
    assert np.isnan(slack_at_most(np.array([measured]), 0.1)[0])
    assert np.isnan(slack_at_least(np.array([measured]), 0.1)[0])


def test_a_difference_that_overflows_is_no_sample() -> None:
    assert np.isnan(slack_at_most(np.array([-1.7e308]), 1.7e308)[0])
    assert np.isnan(slack_at_least(np.array([-1.7e308]), 1.7e308)[0])


@given(st.lists(FINITE, max_size=20), FINITE)
def test_slack_is_at_most_1_and_never_infinite(measured: list[float], objective: float) -> None:
    for formula in (slack_at_most, slack_at_least):
        slack = formula(np.array(measured), objective)

        assert not np.isinf(slack).any()
        assert (slack[np.isfinite(slack)] <= 1).all()


@given(POSITIVE, POSITIVE, POSITIVE)
def test_a_worse_sample_never_has_more_slack(objective: float, better: float, worse_by: float) -> None:
    latency = slack_at_most(np.array([better, better + worse_by]), objective)
    throughput = slack_at_least(np.array([better + worse_by, better]), objective)

    assert latency[1] <= latency[0]
    assert throughput[1] <= throughput[0]
