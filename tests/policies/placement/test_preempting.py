"""Preemption: whom buoyancy spares, which node goes on, and that no victim is made up."""

import random
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.placement.preempting import (
    EMPTIED,
    OUTRANKED,
    SUNK,
    Option,
    Sight,
    buoyancy_without,
    decide_preempt,
)
from policies.values.pods import Owner
from tests.builders import make_pod
from tests.policies.placement.cases import buoyancies, make_standing, make_view

POD = make_pod(node=None, priority=1000)


def make_option(
    node: str, *priorities: int | None, use: float = 0.0, buoyancy: float | None = 0.5, violations: int = 0
) -> Option:
    sight = Sight(make_standing(node, buoyancy), {"cpu": use * len(priorities)})
    return Option(node, priorities, violations, lambda: sight)


def test_a_node_that_stays_congested_without_its_victims_is_dropped() -> None:
    decision = decide_preempt(POD, [make_option("n1", 1, use=0.1, buoyancy=-0.05)], make_view())

    assert decision.kept == ()
    assert decision.dropped == {"n1": SUNK}
    assert decision.held


def test_a_node_that_floats_without_its_victims_goes_on() -> None:
    decision = decide_preempt(POD, [make_option("n1", 1, use=0.2, buoyancy=-0.1)], make_view())

    assert decision.kept == ["n1"]
    assert not decision.held


def test_nobody_dies_to_bring_a_workload_back_to_where_it_was_evicted_from_while_another_node_is_left() -> None:
    source, dearer, sunk = make_option("n1", 1), make_option("n2", 9, violations=1), make_option("n3", 1, buoyancy=0.0)
    view = make_view(steered={"n1": 0.0})

    assert decide_preempt(POD, [source, dearer, sunk], view).kept == ["n2"]
    assert decide_preempt(POD, [source, sunk], view).kept == ["n1"]
    assert decide_preempt(POD, [source, make_option("free")], view).kept == ["n1"]


def test_the_limit_on_refused_nodes_does_not_save_a_node_here() -> None:
    options = [make_option("n1", 1, buoyancy=0.0), make_option("n2", 1, buoyancy=0.0)]

    assert decide_preempt(POD, options, make_view(max_refused_nodes=0.0)).kept == ()


def test_once_its_hold_is_over_a_pod_preempts_where_it_costs_least() -> None:
    options = [make_option("n1", 5, buoyancy=-1.0), make_option("n2", 4, buoyancy=-1.0)]

    assert decide_preempt(POD, options, make_view(hold_over=True)).kept == ["n2"]


@pytest.mark.parametrize("standing", [None, make_standing("n1", None), make_standing("n1", -1.0, refusable=False)])
def test_a_node_of_which_nothing_certain_is_known_passes(standing: object) -> None:
    sight = Sight(standing)  # type: ignore[arg-type]  # the case list is of objects
    option = Option("n1", [1], 0, lambda: sight)

    assert decide_preempt(POD, [option], make_view()).kept == ["n1"]


def test_a_pod_whose_list_buoyancy_emptied_preempts_nobody() -> None:
    decision = decide_preempt(POD, [make_option("n1", 1)], make_view(emptied=True))

    assert decision.kept == ()
    assert decision.veto == EMPTIED


def test_an_emptied_list_stops_preemption_no_longer_than_the_hold() -> None:
    decision = decide_preempt(POD, [make_option("n1", 1)], make_view(emptied=True, hold_over=True))

    assert decision.kept == ["n1"]


def test_pdb_violations_come_before_priority_and_priority_before_gain() -> None:
    few = make_option("n1", 900, use=0.1)
    low = make_option("n2", 10, use=0.1, violations=1)
    gain = make_option("n3", 900, use=0.4, violations=1)

    assert decide_preempt(POD, [low, gain, few], make_view()).kept == ["n1"]
    assert decide_preempt(POD, [gain, low], make_view()).kept == ["n2"]
    assert decide_preempt(POD, [gain, few], make_view()).dropped == {"n3": OUTRANKED}


def test_of_equal_cost_the_largest_gain_in_buoyancy_wins() -> None:
    options = [make_option("n1", 10, use=0.1), make_option("n2", 10, use=0.3), make_option("n3", 10, buoyancy=None)]

    assert decide_preempt(POD, options, make_view()).kept == ["n2"]


def test_the_highest_of_a_nodes_victims_counts_and_an_unknown_one_counts_most() -> None:
    options = [make_option("n1", 10, 500), make_option("n2", 400, 1), make_option("n3", None)]

    assert decide_preempt(POD, options, make_view()).kept == ["n2"]


def test_fc_068_a_node_without_victims_that_we_would_refuse_is_left_out() -> None:
    decision = decide_preempt(POD, [make_option("n1", buoyancy=0.0), make_option("n2", 1)], make_view())

    assert decision.kept == ["n2"]
    assert decision.dropped.keys() == {"n1"}
    assert decide_preempt(POD, [make_option("n1", buoyancy=0.0)], make_view()).dropped == {"n1": SUNK}


def test_only_the_cheapest_candidates_are_looked_at() -> None:
    looked: list[str] = []

    def option(node: str, priority: int) -> Option:
        def look() -> Sight:
            looked.append(node)
            return Sight()

        return Option(node, [priority], 0, look)

    options = [option("n1", 5), option("n2", 1), option("n3", 9), option("n4", 1)]

    assert decide_preempt(POD, options, make_view()).kept == ["n2"]
    assert looked == ["n2", "n4"]


def _most(option: Option) -> float:
    return max(option.look().relief.values())


def test_of_those_that_cost_the_same_only_what_can_be_the_best_is_looked_at() -> None:
    looked: list[str] = []

    def option(node: str, use: float) -> Option:
        def look() -> Sight:
            looked.append(node)
            return Sight(make_standing(node, 0.3), {"cpu": use})

        return Option(node, [1], 0, look, lambda: use)

    options = [option("n1", 0.1), option("n2", 0.4), option("n3", 0.2), option("n4", 0.4)]

    assert decide_preempt(POD, options, make_view()).kept == ["n2"]
    assert looked == ["n2", "n4"]


@given(cases=st.lists(st.tuples(buoyancies(), st.floats(0, 1)), min_size=1, max_size=8), hold_over=st.booleans())
def test_what_is_not_looked_at_would_not_have_been_taken(
    cases: list[tuple[float | None, float]], *, hold_over: bool
) -> None:
    every = [make_option(f"n{at}", 1, use=use, buoyancy=buoyancy) for at, (buoyancy, use) in enumerate(cases)]
    promising = [option._replace(most=partial(_most, option)) for option in every]
    view = make_view(hold_over=hold_over)

    decision = decide_preempt(POD, promising, view)

    assert decision.kept == decide_preempt(POD, every, view).kept
    assert set(decision.kept) | decision.dropped.keys() == {option.node for option in every}


def test_fc_068_nodes_without_victims_are_handed_on_where_no_other_is_left() -> None:
    decision = decide_preempt(POD, [make_option("n1"), make_option("n2")], make_view())

    assert decision.kept == ["n1", "n2"]


def test_fc_068_a_node_with_victims_is_preferred_to_one_that_came_without() -> None:
    assert decide_preempt(POD, [make_option("n1"), make_option("n2", 1)], make_view()).kept == ["n2"]


@pytest.mark.parametrize(
    "changes", [{"owner": Owner("DaemonSet", "agent")}, {"priority": 2_000_000_001}, {"scheduler_name": "other"}]
)
def test_pods_we_have_no_say_in_are_echoed(changes: dict[str, Any]) -> None:
    options = [make_option("n1", 1, buoyancy=-1.0), make_option("n2", buoyancy=-1.0)]

    decision = decide_preempt(make_pod(node=None, **changes), options, make_view(emptied=True))

    assert decision.kept == ["n1", "n2"]
    assert decision.exempt


def test_no_candidates_give_no_hold() -> None:
    decision = decide_preempt(POD, [], make_view())

    assert not decision.held
    assert decision.kept == ()


def test_victims_take_nothing_off_a_resource_that_is_not_additive() -> None:
    standing = make_standing("n1", 0.1, scores={"cpu": 0.9, "llc": 0.8})

    assert buoyancy_without(Sight(standing, {"cpu": 0.5}), include_slack=False) == pytest.approx(0.2)


def test_what_victims_take_of_an_unmeasured_resource_changes_nothing() -> None:
    sight = Sight(make_standing("n1", 0.1, scores={"cpu": 0.9}), {"memory-bandwidth": 0.5})

    assert buoyancy_without(sight, include_slack=False) == pytest.approx(0.1)


@pytest.mark.parametrize(("include", "expected"), [(True, -0.3), (False, 0.6)])
def test_slack_counts_where_the_filter_takes_it_in(*, include: bool, expected: float) -> None:
    standing = make_standing("n1", 0.1, slack=-0.3)

    assert buoyancy_without(Sight(standing, {"cpu": 0.5}), include_slack=include) == pytest.approx(expected)


@given(
    cases=st.lists(st.tuples(buoyancies(), st.lists(st.integers(0, 3), max_size=3), st.integers(0, 2)), max_size=8),
    hold_over=st.booleans(),
    seed=st.integers(),
)
def test_one_candidate_at_most_goes_on_and_order_does_not_matter(
    cases: list[tuple[float | None, list[int], int]], seed: int, *, hold_over: bool
) -> None:
    options = [
        make_option(f"n{at}", *priorities, use=0.1, buoyancy=buoyancy, violations=violations)
        for at, (buoyancy, priorities, violations) in enumerate(cases)
    ]
    view = make_view(hold_over=hold_over)

    decision = decide_preempt(POD, options, view)
    shuffled = decide_preempt(POD, random.Random(seed).sample(options, len(options)), view)

    assert set(decision.kept) == set(shuffled.kept)
    assert set(decision.kept) | decision.dropped.keys() == {option.node for option in options}
    assert not set(decision.kept) & decision.dropped.keys()
    with_victims = [option.node for option in options if option.priorities and option.node in decision.kept]
    assert len(with_victims) <= 1
    assert not with_victims or len(decision.kept) == 1
    assert decision.kept or not hold_over or not options
