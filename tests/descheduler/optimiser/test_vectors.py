"""Plans are compared tier by tier: who lost a place, who has none, then what it costs."""

from fractions import Fraction

import pytest

from descheduler.optimiser import vectors
from descheduler.optimiser.solution import Options, doing_nothing
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

PAIR = make_problem(
    [
        make_item("first", node=0),
        make_item("second", node=0, tier=1, weight=3),
        make_item("third", tier=1),
        make_item("fourth", tier=0),
    ]
)


def test_counts_are_kept_by_tier() -> None:
    counted = vectors.tally(PAIR, (1, None, 0, None))

    assert counted == vectors.Tally(placed=(1, 1), unplaced=(1, 1), moved=(1, 0), evicted=(0, 1), weights=(1, 3))


def test_vector_names_each_tier_in_order_of_importance() -> None:
    named = vectors.vector(PAIR, (1, None, 0, None), order="placement-first", evict_for_count=False)

    assert list(named.items()) == [("V[0]", 0), ("U[0]", 1), ("V[1]", 1), ("U[1]", 1), ("D", 4)]


def test_vector_under_frozen_weighs_the_moves_of_each_tier() -> None:
    named = vectors.vector(PAIR, (1, None, 0, None), order="frozen", evict_for_count=False)

    assert list(named) == ["V[0]", "U[0]", "D[0]", "V[1]", "U[1]", "D[1]"]
    assert (named["D[0]"], named["D[1]"]) == (1, 3)


def test_evictions_for_a_count_drop_out_of_the_vector() -> None:
    named = vectors.vector(PAIR, (1, None, 0, None), order="placement-first", evict_for_count=True)

    assert list(named) == ["U[0]", "U[1]", "D"]


def test_eviction_for_an_equal_count_is_worse_than_nothing() -> None:
    swapped = (0, None, 0, None)

    assert not vectors.better(PAIR, swapped, doing_nothing(PAIR), Options())
    assert not vectors.better(PAIR, swapped, doing_nothing(PAIR), Options(evict_for_count=True))


def test_eviction_of_a_less_important_pod_for_a_more_important_one_is_better() -> None:
    assert vectors.better(PAIR, (0, None, None, 0), doing_nothing(PAIR), Options())


def test_frozen_prefers_to_move_less_important_pods() -> None:
    few_but_important = (1, 0, 0, 0)
    many_but_unimportant = (0, 1, 0, 0)

    assert vectors.better(PAIR, few_but_important, many_but_unimportant, Options())
    assert vectors.better(PAIR, many_but_unimportant, few_but_important, Options(order="frozen"))


def test_an_assignment_is_not_better_than_itself() -> None:
    assert not vectors.better(PAIR, (1, 0, 0, 0), (1, 0, 0, 0), Options())


VICTIM = make_problem([make_item("victim", node=0, must_leave=True, weight=5)])


def test_victim_that_stays_is_unplaced_but_not_evicted() -> None:
    counted = vectors.tally(VICTIM, (None,))

    assert (counted.unplaced, counted.evicted, counted.weights) == ((1,), (0,), (0,))
    assert vectors.disruptions(VICTIM, (None,)) == 0
    assert vectors.whereabouts(VICTIM.items[0], None) == 0


def test_disruption_of_a_victim_is_counted_but_costs_nothing() -> None:
    assert vectors.vector_of(VICTIM, (1,), Options()) == {"V[0]": 0, "U[0]": 0, "D": 0}
    assert vectors.disruptions(VICTIM, (1,)) == 1
    assert vectors.better(VICTIM, (1,), doing_nothing(VICTIM), Options())


def test_usage_is_the_larger_share() -> None:
    problem = make_problem([make_item(requests=(100, 300, 1), node=0)])

    assert vectors.usage(problem, (0,)) == Fraction(300, 2000)


def test_usage_contains_what_is_fixed() -> None:
    site = make_site(room=(400, 1000, 10), allocatable=(1000, 1000, 10))
    problem = make_problem([make_item()], [site])

    assert vectors.usage(problem, (0,)) == Fraction(700, 1000)
    assert vectors.usage(problem, (None,)) == Fraction(600, 1000)


def test_usage_contains_a_victim_that_stays() -> None:
    assert vectors.usage(VICTIM, (None,)) == vectors.usage(VICTIM, (1,)) == Fraction(100, 2000)


@pytest.mark.parametrize("primary", [(), (0,)])
def test_cluster_without_capacity_has_no_usage(primary: tuple[int, ...]) -> None:
    problem = make_problem([make_item()], [make_site(room=(0, 0, 0))], primary=primary)

    assert vectors.usage(problem, (0,)) == 0
