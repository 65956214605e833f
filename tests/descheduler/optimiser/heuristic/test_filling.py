"""Room by one ejection, a chain, two ejections, and victims: each where the way before it does not do."""

from collections.abc import Sequence

import pytest
from hypothesis import given

from descheduler.optimiser.bounds import hopeless
from descheduler.optimiser.checking import check
from descheduler.optimiser.classes import classify
from descheduler.optimiser.heuristic.filling import fill, preempt
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.problem import Item, Problem
from descheduler.optimiser.solution import Assignment, Options
from descheduler.optimiser.tables import tabulate
from descheduler.optimiser.ties.opening import open_ties
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.strategies import options, problems


def filled(problem: Problem, allowed: Options, *, evicting: bool = False, asked: Sequence[bool] = ()) -> Assignment:
    """Return where the heuristic leaves everybody; `asked` is what it hears when it asks whether to go on."""
    tables = tabulate(problem)
    state = State(tables, open_ties(problem, tables), problem.max_disruptions)
    answers = iter(asked)
    lost = hopeless(tables)
    fill(state, classify(problem, tables), allowed, hopeless=lost, after=lambda: next(answers, True))
    if evicting:
        preempt(state, allowed, hopeless=lost, over=lambda: False)
    return tuple(None if place < 0 else place for place in state.where.tolist())


def pod(key: str, cpu: int, node: int | None = None, tier: int = 0) -> Item:
    """Return a pod of which only the CPU matters."""
    return make_item(key, requests=(cpu, 1, 1), node=node, tier=tier)


SITES = [make_site("n1"), make_site("n2"), make_site("n3")]


def test_best_fit_takes_the_fullest_node() -> None:
    problem = make_problem([pod("a", 600, 1), pod("b", 300)], SITES)

    assert filled(problem, Options()) == (1, 1)


def test_one_pod_makes_room() -> None:
    problem = make_problem([pod("a", 400, 0), pod("b", 600, 1), pod("new", 700)], SITES[:2])

    assert filled(problem, Options()) == (1, 1, 0)


def test_under_a_price_cheap_pods_come_before_large_ones() -> None:
    """The large one would take the room that the other one fits into as it is."""
    items = [pod("a", 500, 0), pod("b", 800, 1), pod("large", 600), pod("small", 500)]

    assert filled(make_problem(items, SITES[:2]), Options(price=4)) == (0, 1, None, 0)
    assert filled(make_problem([*items[:1], pod("b", 400, 1), *items[2:]], SITES[:2]), Options(price=4)) == (0, 1, 1, 0)


@pytest.mark.parametrize(("price", "enough"), [(0, False), (1, False), (2, True), (None, True)])
def test_nobody_is_placed_for_more_than_the_price(price: int | None, *, enough: bool) -> None:
    items = [pod("a", 400, 0), pod("b", 400, 0), pod("c", 600, 1), pod("d", 600, 2), pod("new", 900)]

    assert (filled(make_problem(items, SITES), Options(price=price))[-1] is not None) is enough


def test_one_takes_the_place_of_another_one() -> None:
    items = [
        pod("a", 500, 0),
        pod("a'", 400, 0),
        pod("b", 300, 1),
        pod("b'", 600, 1),
        pod("c", 700, 2),
        pod("new", 500),
    ]

    assert filled(make_problem(items, SITES), Options()) == (0, 1, 2, 1, 2, 0)


def test_two_make_room() -> None:
    items = [pod("a", 300, 0), pod("b", 300, 0), pod("c", 400, 0), pod("d", 700, 1), pod("e", 700, 2), pod("new", 600)]

    assert filled(make_problem(items, SITES), Options()) in {(1, 2, 0, 1, 2, 0), (2, 1, 0, 1, 2, 0)}


def test_price_forbids_what_is_dear() -> None:
    items = [pod("a", 300, 0), pod("b", 300, 0), pod("c", 400, 0), pod("d", 700, 1), pod("e", 700, 2), pod("new", 600)]

    assert filled(make_problem(items, SITES), Options(price=1))[-1] is None


def test_frozen_moves_nobody_of_a_more_important_tier() -> None:
    items = [pod("a", 400, 0, tier=0), pod("b", 600, 1, tier=0), pod("new", 700, tier=1)]
    problem = make_problem(items, SITES[:2])

    assert filled(problem, Options())[-1] == 0
    assert filled(problem, Options(order="frozen"))[-1] is None


@pytest.mark.parametrize(("tier", "placed"), [(0, True), (1, False)])
def test_victims_are_less_important(tier: int, *, placed: bool) -> None:
    items = [pod("a", 1000, 0, tier=1), pod("b", 1000, 1, tier=1), pod("new", 700, tier=tier)]
    found = filled(make_problem(items, SITES[:2], tiers=2), Options(), evicting=True)

    assert (found[-1] is not None) == placed
    assert found.count(None) == 1


def test_fewest_victims() -> None:
    items = [pod("a", 500, 0, tier=1), pod("b", 500, 0, tier=1), pod("c", 1000, 1, tier=1), pod("new", 900)]

    assert filled(make_problem(items, SITES[:2]), Options(), evicting=True) == (0, 0, None, 1)


@pytest.mark.parametrize("tier", [0, 1])
def test_stops_before_the_next_pod_when_it_is_told_to(tier: int) -> None:
    problem = make_problem([pod("a", 100), pod("b", 100, tier=tier)], SITES)

    assert filled(problem, Options(), asked=[True, False]) == (0, None)


@given(problems(), options(0.1))
def test_every_plan_keeps_every_rule(problem: Problem, allowed: Options) -> None:
    assert check(problem, filled(problem, allowed, evicting=True), allowed) == ()
