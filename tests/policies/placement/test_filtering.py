"""The filter: what is refused, what never is, and that order and doubt decide nothing."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.placement.filtering import decide_filter
from policies.placement.reasons import TEXTS, Reason
from policies.values.pods import Owner
from policies.values.standings import NodeStanding
from tests.builders import make_pod
from tests.policies.placement.cases import OWN_NAMESPACE, fleets, make_standing, make_view, requests

POD = make_pod(node=None)


def test_congested_nodes_are_refused() -> None:
    view = make_view(make_standing("n1", 0.05), make_standing("n2", 0.5))

    decision = decide_filter(POD, ["n1", "n2"], view)

    assert decision.passed == ["n2"]
    assert decision.refused == {Reason.BUOYANCY: ["n1"]}


def test_a_buoyancy_at_the_threshold_is_feasible_whatever_floats_make_of_it() -> None:
    view = make_view(make_standing("n1", 1 - 0.9))

    assert decide_filter(POD, ["n1", "n2"], view).passed == ["n1", "n2"]


def test_unknown_and_unverified_nodes_pass() -> None:
    view = make_view(make_standing("n1", None), make_standing("n2", -1.0, refusable=False))

    decision = decide_filter(POD, ["n1", "n2", "n3", "n4"], view)

    assert decision.passed == ["n1", "n2", "n3", "n4"]
    assert not decision.refused


def test_fc_069_at_most_half_of_the_names_are_refused_and_the_lowest_go_first() -> None:
    low = [make_standing(f"low{i}", 0.09 - i / 100) for i in range(15)]
    names = [*(s.node for s in low), *(f"ok{i}" for i in range(5))]

    decision = decide_filter(POD, names, make_view(*low))

    assert decision.refused[Reason.BUOYANCY] == [f"low{i}" for i in range(14, 4, -1)]
    assert len(decision.passed) == 10


def test_the_last_name_left_is_never_refused() -> None:
    view = make_view(make_standing("n1", -3.0))

    assert decide_filter(POD, ["n1"], view).passed == ["n1"]


def test_the_last_name_left_by_steering_is_not_refused_for_buoyancy() -> None:
    view = make_view(make_standing("n2", -3.0), steered={"n1": 100.0})

    decision = decide_filter(POD, ["n1", "n2"], view)

    assert decision.passed == ["n2"]
    assert decision.refused == {Reason.STEERING: ["n1"]}


def test_a_limit_of_all_names_may_empty_a_list() -> None:
    view = make_view(make_standing("n1", 0.0), make_standing("n2", 0.0), max_refused_nodes=1.0)

    decision = decide_filter(POD, ["n1", "n2"], view)

    assert decision.passed == []
    assert decision.emptied


def test_once_its_hold_is_over_a_pod_gets_the_most_buoyant_node() -> None:
    view = make_view(make_standing("n1", 0.0), make_standing("n2", 0.05), max_refused_nodes=1.0, hold_over=True)

    decision = decide_filter(POD, ["n1", "n2"], view)

    assert decision.passed == ["n2"]
    assert not decision.emptied


def test_the_nominated_node_passes_whatever_speaks_against_it() -> None:
    pod = make_pod(node=None, nominated_node="n1")
    view = make_view(
        make_standing("n1", -1.0), make_standing("n2", 0.0), steered={"n1": 1.0, "n3": 1.0}, max_refused_nodes=1.0
    )

    decision = decide_filter(pod, ["n2", "n3", "n1"], view)

    assert decision.passed == ["n1"]
    assert decision.refused == {Reason.STEERING: ["n3"], Reason.BUOYANCY: ["n2"]}


def test_a_nominated_node_that_was_not_asked_for_is_not_added() -> None:
    pod = make_pod(node=None, nominated_node="n9")

    assert decide_filter(pod, ["n1"], make_view()).passed == ["n1"]


def test_fc_075_the_planned_or_best_node_is_never_added_to_the_request() -> None:
    view = make_view(make_standing("n1", 0.0), make_standing("n2", 0.0), make_standing("n3", 1.0))

    decision = decide_filter(POD, ["n1", "n2"], view)

    assert decision.passed == ["n2"]


@pytest.mark.parametrize(
    "changes",
    [
        {"owner": Owner("DaemonSet", "agent")},
        {"priority_class": "system-node-critical"},
        {"namespace": OWN_NAMESPACE},
        {"scheduler_name": "default-scheduler"},
    ],
)
def test_fc_070_pods_we_have_no_say_in_pass_everywhere(changes: dict[str, Any]) -> None:
    view = make_view(make_standing("n1", -1.0), max_refused_nodes=1.0, steered={"n1": 1.0})

    decision = decide_filter(make_pod(node=None, **changes), ["n1", "n2"], view)

    assert decision.passed == ["n1", "n2"]
    assert decision.exempt


def test_fc_069_each_reason_has_one_text_without_names_or_numbers() -> None:
    assert TEXTS.keys() == set(Reason)
    assert not any(character.isdigit() for text in TEXTS.values() for character in text)


@given(fleet=fleets(), names=requests(), share=st.floats(0, 1), steered=st.sets(st.sampled_from(["n1", "n2"])))
def test_an_answer_is_a_part_of_the_request_and_never_empty(
    fleet: list[NodeStanding], names: list[str], share: float, steered: set[str]
) -> None:
    view = make_view(*fleet, max_refused_nodes=share, steered=dict.fromkeys(steered, 1.0))

    decision = decide_filter(POD, names, view)

    refused = [name for part in decision.refused.values() for name in part]
    assert sorted([*decision.passed, *refused]) == sorted(names)
    assert [name for name in names if name in set(decision.passed)] == list(decision.passed)
    assert decision.passed or not names or share > 0.999999


@given(fleet=fleets(), names=requests(), share=st.floats(0, 1), seed=st.integers())
def test_the_order_of_the_names_decides_nothing(
    fleet: list[NodeStanding], names: list[str], share: float, seed: int
) -> None:
    view = make_view(*fleet, max_refused_nodes=share, steered={"n1": 5.0, "n2": 5.0})
    shuffled = random.Random(seed).sample(names, len(names))

    first, second = decide_filter(POD, names, view), decide_filter(POD, shuffled, view)

    assert set(first.passed) == set(second.passed)
    assert {r: set(n) for r, n in first.refused.items()} == {r: set(n) for r, n in second.refused.items()}


@given(fleet=fleets(), names=requests(), share=st.floats(0, 1))
def test_no_more_than_the_share_is_refused_for_buoyancy_and_only_measured_congested_nodes(
    fleet: list[NodeStanding], names: list[str], share: float
) -> None:
    view = make_view(*fleet, max_refused_nodes=share)
    congested = {s.node for s in fleet if s.refusable and s.filter_buoyancy is not None and s.filter_buoyancy < 0.1}

    refused = decide_filter(POD, names, view).refused.get(Reason.BUOYANCY, [])

    assert len(refused) <= share * len(names) + 1e-6
    assert set(refused) <= congested
