"""How many nodes may be refused, and for how long all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.placement.holds import hold_left, may_empty, most_refusals


@pytest.mark.parametrize(
    ("asked", "share", "most"), [(20, 0.5, 10), (3, 0.5, 1), (1, 0.5, 0), (0, 1.0, 0), (100, 0.29, 29), (7, 1.0, 7)]
)
def test_the_share_of_the_names_is_rounded_down(asked: int, share: float, most: int) -> None:
    assert most_refusals(asked, share=share) == most


@given(asked=st.integers(0, 10_000), percent=st.integers(0, 100))
def test_whole_percentages_are_exact(asked: int, percent: int) -> None:
    assert most_refusals(asked, share=percent / 100) == asked * percent // 100


def test_only_all_names_may_go_and_only_while_the_hold_runs() -> None:
    assert may_empty(share=1.0, hold_over=False)
    assert not may_empty(share=1.0, hold_over=True)
    assert not may_empty(share=0.99, hold_over=False)


@pytest.mark.parametrize(
    ("held_for", "unschedulable_for", "left"),
    [(None, None, 300.0), (100.0, None, 200.0), (None, 250.0, 50.0), (100.0, 299.0, 1.0), (300.0, 0.0, 0.0)],
)
def test_whichever_clock_started_first_ends_the_hold(
    held_for: float | None, unschedulable_for: float | None, left: float
) -> None:
    assert hold_left(max_hold=300.0, held_for=held_for, unschedulable_for=unschedulable_for) == left


def test_a_clock_that_was_set_back_does_not_lengthen_a_hold() -> None:
    assert hold_left(max_hold=300.0, held_for=None, unschedulable_for=-1000.0) == 300.0
