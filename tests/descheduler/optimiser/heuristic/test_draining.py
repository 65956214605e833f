"""A node is emptied step by step for a pod, for no more than the price, and nothing changes where that fails."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bench.placements import cases
from descheduler.optimiser.checking import check
from descheduler.optimiser.heuristic.draining import drain
from descheduler.optimiser.heuristic.ejections import movers
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.problem import Exclusive, Problem
from descheduler.optimiser.scores import score
from descheduler.optimiser.solution import Assignment, Options
from descheduler.optimiser.tables import NOWHERE, tabulate
from descheduler.optimiser.ties.opening import open_ties
from tests.descheduler.optimiser import strategies
from tests.descheduler.optimiser.builders import make_item, make_problem


def opened(problem: Problem) -> State:
    tables = tabulate(problem)
    return State(tables, open_ties(problem, tables), problem.max_disruptions)


def drained(state: State, pod: int, *, price: int = 8, over: bool = False) -> bool:
    return drain(state, pod, movers(state, pod, frozen=False), price=price, over=lambda: over)


def places(state: State) -> Assignment:
    return tuple(None if place < 0 else place for place in state.where.tolist())


def full(*sizes: tuple[int, int]) -> Problem:
    """Return two nodes of 1,000 milli-cores with pods of these sizes on them, and one that waits for 350."""
    running = [make_item(f"p{at}", requests=(cpu, 1, 1), node=node) for at, (cpu, node) in enumerate(sizes)]
    return make_problem([*running, make_item("waits", requests=(350, 1, 1))])


def test_a_pod_changes_places_with_a_smaller_one() -> None:
    # 100 and 250 are free; only together they do.
    state = opened(full((600, 0), (300, 0), (400, 1), (350, 1)))

    assert drained(state, 4, price=2)

    assert places(state) == (0, 1, 0, 1, 1)


def test_what_costs_more_than_the_price_is_left_as_it_was() -> None:
    state = opened(full((600, 0), (300, 0), (400, 1), (350, 1)))

    assert not drained(state, 4, price=1)
    assert not drained(state, 4, over=True)

    assert places(state) == (0, 0, 1, 1, None)


def test_nothing_is_changed_where_there_is_no_room_in_all() -> None:
    state = opened(full((700, 0), (200, 0), (700, 1), (200, 1)))

    assert not drained(state, 4)

    assert places(state) == (0, 0, 1, 1, None)


def test_a_tie_that_would_break_undoes_the_whole_way() -> None:
    items = [
        make_item("a", requests=(300, 1, 1), node=0),
        make_item("b", requests=(700, 1, 1), node=0),
        make_item("c", requests=(500, 1, 1), node=1),
        make_item("waits", requests=(200, 1, 1)),
    ]
    problem = make_problem(items, exclusives=(Exclusive(name="port", members=(0, 2, 3)),))
    state = opened(problem)

    drained(state, 3)

    assert not check(problem, places(state), Options(price=None))


def test_crowded_clusters_are_filled_without_a_solver() -> None:
    pending = gained = 0
    for name in ("16x1", "16x4", "32x4"):
        problem = cases.problem(name, 2)
        state = opened(problem)
        waiting = np.flatnonzero(state.where < 0).tolist()

        placed = [pod for pod in waiting if state.settle(pod) or drained(state, pod)]

        assert not check(problem, places(state), Options(price=None))
        pending += len(waiting)
        gained += len(placed)
    assert gained >= 0.8 * pending


@given(data=st.data())
def test_whatever_is_tried_stays_valid_and_within_the_price(data: st.DataObject) -> None:
    problem = data.draw(strategies.problems())
    price = data.draw(st.integers(0, 6))
    state = opened(problem)
    for pod in np.flatnonzero(state.where < 0).tolist():
        before = score(state.tables, state.where)
        where = state.where.copy()

        done = drained(state, pod, price=price)

        after = score(state.tables, state.where)
        assert (state.where[pod] != NOWHERE) == done
        assert sum(after.unplaced) == sum(before.unplaced) - done
        assert after.weight <= before.weight + price * done
        assert done or (state.where == where).all()
    violations = check(problem, places(state), Options(evict_for_count=True, price=None))
    assert not {violation.rule.value for violation in violations} - {"vector", "usage", "budget"}
