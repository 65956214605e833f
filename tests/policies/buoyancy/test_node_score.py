"""The integer score of nodes and the neutral one."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.node_score import median_of_counts, neutral_score, node_score, node_scores

ANY = st.floats()


@pytest.mark.parametrize(
    ("buoyancy", "score"),
    [
        (1.0, 10),
        (0.91, 10),
        (0.9, 9),
        (1 - 0.7, 3),
        (0.1, 1),
        (1e-12, 1),
        (0.0, 0),
        (-0.0, 0),
        (-3.0, 0),
        (math.inf, 10),
        (-math.inf, 0),
        (math.nan, 0),
    ],
)
def test_score_of_one_node(buoyancy: float, score: int) -> None:
    assert node_score(buoyancy) == score


@given(ANY)
def test_a_score_is_an_integer_from_0_to_10(buoyancy: float) -> None:
    score = node_score(buoyancy)

    assert isinstance(score, int)
    assert 0 <= score <= 10


@given(st.floats(-10, 1), st.floats(-10, 1))
def test_score_is_monotone_in_buoyancy(one: float, other: float) -> None:
    low, high = sorted((one, other))

    assert node_score(low) <= node_score(high)


@given(st.lists(ANY, max_size=30))
def test_many_nodes_score_as_each_does_alone(buoyancies: list[float]) -> None:
    assert node_scores(np.array(buoyancies)).tolist() == [node_score(buoyancy) for buoyancy in buoyancies]


@given(st.lists(st.integers(0, 10), min_size=1, max_size=40))
def test_neutral_is_the_lower_median(known: list[int]) -> None:
    assert neutral_score(known) == statistics.median_low(known)


def test_neutral_is_0_where_nobody_is_known() -> None:
    assert neutral_score([]) == 0
    assert median_of_counts([]) == 0
