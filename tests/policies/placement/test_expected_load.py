"""Assumed load of one node and of all, by the worked rows N16 and N17 and by their agreement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model.signals import ResourceSignal, Signals
from policies.placement.expected_load import Expectations, Resident, Turn
from tests.builders import NOW, make_node, make_pod, make_resources
from tests.policies.placement.measured import make_history, make_saturation

SIGNALS = Signals(
    resources={
        "cpu": ResourceSignal(node="q", age="q", additive=True, rate_window=60.0),
        "llc": ResourceSignal(node="q", age="q"),
        "memory-bandwidth": ResourceSignal(node="q", age="q", additive=True),
    }
)


def make_turn(name: str = "p", *, at: float, node: str = "n1", cpu: int = 500, ended: bool = False) -> Turn:
    return Turn(at, make_pod(name, node=node, cpu=cpu, requests=make_resources(cpu=cpu)), "default/web", ended)


def make_expectations(*, newest: float = NOW - 20, ratio: float | None = None, nodes: int = 2) -> Expectations:
    names = [f"n{number}" for number in range(1, nodes + 1)]
    history = make_history(
        {name: {"cpu": 0.7, "llc": 0.2, "memory-bandwidth": 0.3} for name in names}, age=NOW - newest
    )
    return Expectations(
        saturation=make_saturation(history, SIGNALS, names),
        signals=SIGNALS,
        nodes={name: make_node(name) for name in names},
        ratios={} if ratio is None else {("default/web", "cpu"): ratio},
    )


def test_n16_pods_bound_after_the_sample_count_in_full() -> None:
    turns = [make_turn(str(at), at=NOW - at) for at in (1, 5, 10)]

    assert make_expectations().of_node("n1", turns) == pytest.approx([0.375, 0.0, 0.0])


def test_n17_pods_bound_within_the_rate_window_count_in_part() -> None:
    turns = [make_turn(str(at), at=NOW - 35) for at in range(3)]

    assert make_expectations().of_node("n1", turns) == pytest.approx([0.28125, 0.0, 0.0])


def test_fc_054_pods_that_the_sample_contains_are_not_counted_twice() -> None:
    assert make_expectations().of_node("n1", [make_turn(at=NOW - 80)]) == [0.0, 0.0, 0.0]


def test_a_pod_that_ended_is_taken_off() -> None:
    assert make_expectations().of_node("n1", [make_turn(at=NOW, ended=True)]) == pytest.approx([-0.125, 0.0, 0.0])


def test_a_pod_that_came_and_ended_since_the_sample_leaves_nothing_behind() -> None:
    turns = [make_turn(at=NOW - 5), make_turn(at=NOW, ended=True)]

    assert make_expectations().of_node("n1", turns) == pytest.approx([0.0, 0.0, 0.0])


def test_a_workload_that_uses_less_than_it_requests_is_expected_to_go_on_so() -> None:
    assert make_expectations(ratio=0.5).of_node("n1", [make_turn(at=NOW)]) == pytest.approx([0.0625, 0.0, 0.0])


def test_without_an_age_the_evaluation_counts_as_the_sample() -> None:
    assert make_expectations(newest=float("nan")).of_node("n1", [make_turn(at=NOW - 30)]) == pytest.approx(
        [0.0625, 0, 0]
    )


def test_without_victims_a_node_is_rid_of_their_expected_use() -> None:
    pod = Resident(make_pod(requests=make_resources(cpu=2000)), "default/web")

    assert make_expectations(ratio=0.5).relief([pod, pod], "n1") == {"cpu": 0.5}
    assert make_expectations().relief([pod], "n9") == {}
    assert make_expectations().relief([], "n1") == {}


def test_a_node_is_asked_again_about_other_victims() -> None:
    expected = make_expectations()
    asking, idle = (Resident(make_pod(requests=make_resources(cpu=cpu)), "default/web") for cpu in (2000, 0))

    assert expected.relief([asking, idle], "n1") == expected.relief([asking], "n1")
    assert expected.relief([idle], "n1") == {}


@given(
    turns=st.lists(
        st.tuples(st.floats(-200, 20), st.sampled_from(["n1", "n2", "n9"]), st.integers(0, 4000), st.booleans()),
        max_size=8,
    ),
    ratio=st.none() | st.floats(0, 10),
)
def test_all_nodes_at_once_are_reckoned_as_one_by_one(
    turns: list[tuple[float, str, int, bool]], ratio: float | None
) -> None:
    made = [make_turn(str(i), at=NOW + at, node=n, cpu=c, ended=e) for i, (at, n, c, e) in enumerate(turns)]
    expected = make_expectations(ratio=ratio)

    together = expected.of_all(made)

    for column, node in enumerate(["n1", "n2"]):
        alone = expected.of_node(node, [turn for turn in made if turn.pod.node == node])
        assert np.allclose(together[:, column], alone)
