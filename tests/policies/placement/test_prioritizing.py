"""Scores: integers from 0 to 10, neutral where nothing is known."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.placement.prioritizing import decide_prioritize, neutral
from policies.values.standings import Confidence, NodeStanding
from tests.builders import make_pod
from tests.policies.placement.cases import OWN_NAMESPACE, fleets, make_standing, make_view, requests

POD = make_pod(node=None)


def test_more_buoyant_nodes_score_higher() -> None:
    view = make_view(make_standing("n1", 0.55), make_standing("n2", 0.3), make_standing("n3", -0.2))

    assert decide_prioritize(POD, ["n3", "n1", "n2"], view) == [0, 6, 3]


def test_an_unknown_node_scores_the_median_of_the_measured_ones_of_the_request() -> None:
    standings = [make_standing("n1", 0.9), make_standing("n2", 0.3), make_standing("n3", 0.1), make_standing("n9", 1.0)]

    assert decide_prioritize(POD, ["n1", "n2", "n3", "n4"], make_view(*standings)) == [9, 3, 1, 3]


def test_where_nobody_is_known_all_score_alike() -> None:
    assert decide_prioritize(POD, ["n1", "n2"], make_view()) == [0, 0]


def test_a_partly_measured_node_scores_at_most_neutral() -> None:
    good = make_standing("n1", 0.9, confidence=Confidence.PARTIAL)
    bad = make_standing("n2", 0.1, confidence=Confidence.PARTIAL)
    view = make_view(good, bad, make_standing("n3", 0.5))

    assert decide_prioritize(POD, ["n1", "n2", "n3"], view) == [5, 1, 5]


def test_fc_070_our_own_pods_are_not_scored() -> None:
    pod = make_pod(node=None, namespace=OWN_NAMESPACE)

    assert decide_prioritize(pod, ["n1", "n2"], make_view(make_standing("n1", 0.9))) == [0, 0]


@pytest.mark.parametrize(
    ("scores", "median"), [([], 0), ([None], 0), ([4], 4), ([1, 9], 1), ([10, 2, None, 3], 3), ([0, 0, 10], 0)]
)
def test_neutral_is_the_lower_median(scores: list[int | None], median: int) -> None:
    assert neutral(scores) == median


@given(fleet=fleets(), names=requests())
def test_scores_are_integers_from_0_to_10_one_for_each_name(fleet: list[NodeStanding], names: list[str]) -> None:
    scores = decide_prioritize(POD, names, make_view(*fleet))

    assert len(scores) == len(names)
    assert all(type(score) is int and 0 <= score <= 10 for score in scores)


@given(fleet=fleets(), names=requests(), seed=st.integers())
def test_scores_do_not_depend_on_the_order_of_the_names(fleet: list[NodeStanding], names: list[str], seed: int) -> None:
    shuffled = random.Random(seed).sample(names, len(names))
    view = make_view(*fleet)

    first = dict(zip(names, decide_prioritize(POD, names, view), strict=True))
    second = dict(zip(shuffled, decide_prioritize(POD, shuffled, view), strict=True))

    assert first == second


@given(low=st.floats(-2, 1), high=st.floats(-2, 1))
def test_scores_rise_with_buoyancy(low: float, high: float) -> None:
    low, high = sorted((low, high))

    scores = decide_prioritize(POD, ["n1", "n2"], make_view(make_standing("n1", low), make_standing("n2", high)))

    assert scores[0] <= scores[1]
