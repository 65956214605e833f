"""The moving average of slack."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from policies.buoyancy.averages import average_slack, samples_kept, samples_wanted
from policies.values.signals import Floats

NAN = math.nan
SERIES = arrays(np.float64, st.tuples(st.integers(0, 4), st.integers(0, 12)), elements=st.floats(-5, 1) | st.just(NAN))


@pytest.mark.parametrize(
    ("window", "step", "wanted"),
    [(60, 15, 4), (30, 15, 2), (0, 15, 1), (15, 15, 1), (30, 12, 2), (42, 12, 4), (7, 15, 1)],
)
def test_window_to_samples_rounds_half_to_even(window: float, step: float, wanted: int) -> None:
    assert samples_wanted(window, step) == wanted


@pytest.mark.parametrize(("window", "kept"), [(60, 9), (0, 1), (50, 7), (5, 1)])
def test_samples_up_to_twice_the_window_old_are_kept(window: float, kept: int) -> None:
    assert samples_kept(window, 15) == kept


def test_every_evaluation_has_its_own_average() -> None:
    averages = average_slack(np.array([[1.0, 0.0, -1.0, 0.5]]), wanted=2, kept=5)

    assert averages[0].tolist() == pytest.approx([NAN, 0.5, -0.5, -0.25], nan_ok=True)


def test_a_gap_is_bridged_by_an_older_sample() -> None:
    assert average_slack(np.array([[0.3, 0.1, NAN, -0.4]]), wanted=3, kept=7)[0, -1] == pytest.approx(0.0)


def test_a_sample_older_than_twice_the_window_is_forgotten() -> None:
    series = np.array([[0.3, NAN, NAN, NAN, 0.1]])

    assert average_slack(series, wanted=2, kept=5)[0, -1] == pytest.approx(0.2)
    assert np.isnan(average_slack(series, wanted=2, kept=4)[0, -1])


def test_fewer_samples_than_the_window_wants_are_no_average() -> None:
    assert np.isnan(average_slack(np.array([[-9.0, -9.0]]), wanted=3, kept=7)).all()


def test_an_average_that_overflows_is_unknown() -> None:
    assert np.isnan(average_slack(np.full((1, 4), -1.7e308), wanted=4, kept=9)[0, -1])


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (0, 0)])
def test_nobody_and_no_time_give_empty_answers(shape: tuple[int, int]) -> None:
    assert average_slack(np.empty(shape), wanted=2, kept=5).shape == shape


@given(SERIES, st.integers(1, 6), st.integers(1, 13))
def test_average_is_the_mean_of_the_last_usable_samples(series: Floats, wanted: int, kept: int) -> None:
    averages = average_slack(series, wanted=wanted, kept=kept)

    for row, answers in zip(series, averages, strict=True):
        for column, answer in enumerate(answers):
            usable = [value for value in row[max(0, column + 1 - kept) : column + 1] if not np.isnan(value)]
            expected = float(np.mean(usable[-wanted:])) if len(usable) >= wanted else NAN
            assert answer == pytest.approx(expected, nan_ok=True, abs=1e-9)
