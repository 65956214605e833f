"""Moved pods go home where they can, and nobody placed loses anything by it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from descheduler.optimiser.checking import check
from descheduler.optimiser.heuristic.returning import go_home
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.problem import Exclusive, Problem
from descheduler.optimiser.scores import score
from descheduler.optimiser.solution import Assignment, Options
from descheduler.optimiser.tables import NOWHERE, tabulate
from descheduler.optimiser.ties.opening import open_ties
from tests.descheduler.optimiser import strategies
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

HALF, MOST = (500, 100, 1), (700, 100, 1)


def returned(problem: Problem, places: Assignment, *, over: bool = False) -> Assignment:
    tables = tabulate(problem)
    state = State(tables, open_ties(problem, tables), problem.max_disruptions)
    state.adopt(np.array([NOWHERE if place is None else place for place in places], dtype=np.int64))

    go_home(state, over=lambda: over)

    return tuple(None if place < 0 else place for place in state.where.tolist())


def test_a_pod_that_need_not_have_moved_returns() -> None:
    problem = make_problem([make_item("a", node=0), make_item("b")])

    assert returned(problem, (1, 0)) == (0, 0)
    assert returned(problem, (1, 0), over=True) == (1, 0)


def test_a_newcomer_makes_way_where_it_can_stand_elsewhere() -> None:
    problem = make_problem([make_item("a", node=0, requests=MOST), make_item("b", requests=HALF)])

    assert returned(problem, (1, 0)) == (0, 1)


def test_two_that_took_each_others_place_both_return() -> None:
    items = [make_item("a", node=0, requests=MOST), make_item("b", node=1, requests=MOST)]

    assert returned(make_problem(items), (1, 0)) == (0, 1)


def test_a_newcomer_that_fits_nowhere_else_keeps_its_place() -> None:
    sites = [make_site("n1"), make_site("n2", room=(800, 1000, 10))]
    problem = make_problem([make_item("a", node=0, requests=HALF), make_item("b", requests=(1000, 100, 1))], sites)

    assert returned(problem, (1, 0)) == (1, 0)


def test_a_port_on_its_node_keeps_a_pod_away() -> None:
    items = [make_item("a", node=0), make_item("b", requests=(950, 100, 1))]
    problem = make_problem(items, exclusives=(Exclusive(name="port", members=(0, 1)),))

    assert returned(problem, (1, 0)) == (0, 1)


@given(data=st.data())
def test_a_valid_plan_stays_valid_and_disturbs_no_more(data: st.DataObject) -> None:
    problem = data.draw(strategies.problems())
    places = data.draw(strategies.assignments(problem))
    options = Options(evict_for_count=True, price=None)
    if check(problem, places, options):
        return

    home = returned(problem, places)

    tables = tabulate(problem)
    before, after = (
        score(tables, np.array([NOWHERE if place is None else place for place in plan], dtype=np.int64))
        for plan in (places, home)
    )
    assert not check(problem, home, options)
    assert after.unplaced == before.unplaced
    assert after.weight <= before.weight
