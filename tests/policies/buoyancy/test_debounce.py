"""Debounce and hysteresis."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.debounce import Trigger, evaluations_over, in_trouble, says_yes

NAN = math.nan
THREE = Trigger(below=0.0, clear_above=0.05, needed=3)
VALUES = st.lists(st.floats(-1, 1) | st.just(NAN), max_size=15)


def ends_in_trouble(*values: float, trigger: Trigger = THREE) -> bool:
    return bool(in_trouble(np.array([values]), trigger)[0])


@pytest.mark.parametrize(
    ("values", "trouble"),
    [
        ((), False),
        ((-1, -1), False),
        ((-1, -1, -1), True),
        ((-1, -1, 0, -1), False),
        ((-1, -1, NAN, -1), False),
        ((-1, -1, -1, 0.04), True),
        ((-1, -1, -1, 0.05), True),
        ((-1, -1, -1, 0.06), False),
        ((-1, -1, -1, NAN, NAN), True),
        ((-1, -1, -1, 0.06, -1), False),
        ((-1, -1, -1, 0.04, -1), True),
    ],
)
def test_trouble_begins_after_a_run_and_ends_above_the_clearing_threshold(
    values: tuple[float, ...],
    trouble: bool,  # noqa: FBT001  # a table's column
) -> None:
    assert ends_in_trouble(*values) is trouble


def test_a_clearing_threshold_below_the_other_does_not_end_what_has_just_begun() -> None:
    assert ends_in_trouble(-0.1, trigger=Trigger(below=0.0, clear_above=-0.5, needed=1))


@pytest.mark.parametrize(("duration", "count"), [(180, 13), (0, 1), (15, 2), (40, 4), (0.001, 2), (45, 4)])
def test_evaluations_span_at_least_the_duration(duration: float, count: int) -> None:
    assert evaluations_over(duration, 15) == count


def test_only_the_newest_evaluation_says_yes_for_now() -> None:
    answers = says_yes(np.array([[-1, 0.1], [0.1, -1], [-1, NAN]]), THREE)

    assert answers.tolist() == [False, True, False]
    assert says_yes(np.empty((2, 0)), THREE).tolist() == [False, False]


@given(VALUES, st.integers(1, 4))
def test_no_value_that_is_not_below_begins_trouble(values: list[float], needed: int) -> None:
    trigger = Trigger(below=0.0, clear_above=0.05, needed=needed)
    runs = "".join("y" if value < 0 else "n" for value in values)

    if ends_in_trouble(*values, trigger=trigger):
        assert "y" * needed in runs


@given(VALUES, VALUES)
def test_nothing_before_a_clear_value_matters(before: list[float], after: list[float]) -> None:
    assert ends_in_trouble(*before, 0.5, *after) == ends_in_trouble(*after)
