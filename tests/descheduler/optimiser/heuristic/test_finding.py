"""All ways to place a pod with at most two others moved are found, at the cost that they have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.placements import cases
from descheduler.optimiser.heuristic.ends import Ends
from descheduler.optimiser.heuristic.finding import Search, find
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.ways import Ways
from descheduler.optimiser.problem import Item, Problem
from descheduler.optimiser.solution import Assignment, Options
from descheduler.optimiser.tables import NOWHERE
from tests.descheduler.optimiser import strategies
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.heuristic.opened import opened, places, rules_of

SITES = [make_site("n1"), make_site("n2"), make_site("n3")]


def ways_of(problem: Problem, state: State, pod: int, *, most: int = 2, order: Options | None = None) -> Ways:
    rules = rules_of(problem, state, order)
    search = Search(pod, rules.movers(state, pod, most), most)
    return find(state, Ends(state, rules.classes, np.flatnonzero(search.candidates.allowed)), search, rules.random)


def pod(key: str, cpu: int, node: int | None = None, tier: int = 0) -> Item:
    """Return a pod of which only the CPU matters."""
    return make_item(key, requests=(cpu, 1, 1), node=node, tier=tier)


def outcomes(problem: Problem, pod: int, *, most: int = 2) -> set[tuple[int, Assignment]]:
    """Return what each way costs and leads to."""
    state = opened(problem)
    ways, mark = ways_of(problem, state, pod, most=most), state.mark()
    results = set()
    for row in ways.possible(state, np.arange(len(ways))).tolist():
        assert ways.go(state, pod, row)
        results.add((int(ways.cost[row]), places(state)))
        state.undo(mark)
    return results


def test_nobody_moves() -> None:
    problem = make_problem([pod("a", 600, 0), pod("new", 400)], SITES)

    assert {(0, (0, 0)), (0, (0, 1)), (0, (0, 2))} <= outcomes(problem, 1)


def test_one_goes_elsewhere() -> None:
    problem = make_problem([pod("a", 400, 0), pod("b", 600, 1), pod("new", 700)], SITES[:2])

    assert outcomes(problem, 2, most=1) == {(1, (1, 1, 0)), (1, (0, 0, 1))}
    assert outcomes(problem, 2, most=0) == set()


def test_one_takes_the_place_of_another_one() -> None:
    items = [pod("a", 500, 0), pod("x", 500, 0), pod("b", 300, 1), pod("y", 600, 1), pod("c", 700, 2), pod("new", 400)]
    items[0] = pod("a", 400, 0)

    assert (2, (1, 0, 2, 1, 2, 0)) in outcomes(make_problem(items, SITES), 5)


def test_two_change_places() -> None:
    # 100 and 250 are free; only together they do.
    items = [pod("a", 600, 0), pod("b", 300, 0), pod("c", 400, 1), pod("d", 350, 1), pod("new", 350)]

    assert (2, (1, 0, 0, 1, 0)) not in outcomes(make_problem(items, SITES[:2]), 4)
    assert (2, (1, 0, 1, 0, 0)) in outcomes(make_problem(items, SITES[:2]), 4)


def test_two_of_a_node_go() -> None:
    items = [pod("a", 300, 0), pod("b", 300, 0), pod("c", 400, 0), pod("d", 700, 1), pod("e", 700, 2), pod("new", 600)]

    found = outcomes(make_problem(items, SITES), 5)

    assert found
    assert found <= {(2, (1, 2, 0, 1, 2, 0)), (2, (2, 1, 0, 1, 2, 0))}


def test_frozen_moves_nobody_of_a_more_important_tier() -> None:
    problem = make_problem([pod("a", 400, 0, tier=0), pod("b", 600, 1, tier=0), pod("new", 700, tier=1)], SITES[:2])

    assert len(ways_of(problem, opened(problem), 2, order=Options())) > 0
    assert len(ways_of(problem, opened(problem), 2, order=Options(order="frozen"))) == 0


@pytest.mark.parametrize("name", ["32x4", "100x4"])
def test_ways_in_a_crowded_cluster_hold_what_they_say(name: str) -> None:
    problem = cases.problem(name, 1)
    state = opened(problem)
    mark = state.mark()
    tried = 0
    for waiting in np.flatnonzero(state.where < 0).tolist():
        ways = ways_of(problem, state, waiting)
        for row in ways.possible(state, np.arange(0, len(ways), 7)).tolist():
            tried += 1
            assert ways.go(state, waiting, row)
            away = state.tables.running & (state.where != state.tables.origin)
            assert (state.free >= 0).all()
            assert state.tables.weight[away].sum() == ways.cost[row]
            state.undo(mark)
    assert tried > 100


@given(data=st.data())
def test_a_way_costs_what_it_disturbs(data: st.DataObject) -> None:
    problem = data.draw(strategies.problems())
    state = opened(problem)
    for waiting in np.flatnonzero(state.where < 0).tolist():
        ways = ways_of(problem, state, waiting, most=data.draw(st.integers(0, 4)))
        mark = state.mark()
        for row in ways.possible(state, np.arange(len(ways))).tolist():
            if ways.go(state, waiting, row):
                away = state.tables.running & (state.where != state.tables.origin)
                assert state.where[waiting] != NOWHERE
                assert (state.free >= 0).all()
                assert state.tables.weight[away].sum() == ways.cost[row]
            state.undo(mark)
