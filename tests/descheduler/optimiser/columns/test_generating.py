"""The bound of disruptions, against the best of all plans."""

import numpy as np
import pytest
from hypothesis import assume, given

from descheduler.optimiser import vectors
from descheduler.optimiser.columns.generating import Generator
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import Ints
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.columns.frames import allowance_of, frame_of, loads_of
from tests.descheduler.optimiser.oracle import best_plan
from tests.descheduler.optimiser.strategies import problems

PLAIN = Options(price=None)


def bound_of(problem: Problem, unplaced: tuple[int, ...], plans: list[Ints]) -> float:
    """Return the best bound from some plans to begin with."""
    frame = frame_of(problem)
    generator = Generator(loads_of(problem), allowance_of(frame, unplaced))
    classes = frame.cast.classes
    for where in plans:
        counts = np.zeros((len(problem.sites), len(classes)), dtype=np.int64)
        placed = where >= 0
        np.add.at(counts, (where[placed], classes.of[placed]), 1)
        for node, content in enumerate(counts):
            generator.master.add(node, content)
    generator.run(enough=lambda: False, over=lambda: False)
    return 0.0 if generator.best is None else generator.best.cost


def test_room_for_one_by_one_move_costs_one() -> None:
    """Both nodes have 400 free: 600 fit only where one of the 300 goes, which has room on the other node."""
    runs = [make_item(f"r{node}{pod}", node=node, requests=(300, 1, 1)) for node in (0, 1) for pod in (0, 1)]
    problem = make_problem([*runs, make_item("waits", requests=(600, 1, 1))])

    assert round(bound_of(problem, (0,), [np.array([0, 0, 1, 1, -1]), np.array([1, 0, 1, 1, 0])]), 3) == 1.0


def test_who_may_stay_without_a_place_costs_nothing() -> None:
    runs = [make_item(f"r{node}", node=node, requests=(700, 1, 1)) for node in (0, 1)]
    problem = make_problem([*runs, make_item("waits", requests=(600, 1, 1))])

    assert round(bound_of(problem, (1,), [np.array([0, 1, -1])]), 3) == 0.0


def test_weights_are_what_it_is_in() -> None:
    problem = make_problem(
        [make_item("runs", node=0, requests=(500, 1, 1), weight=4), make_item("waits", requests=(900, 1, 1))],
        [make_site("n1"), make_site("n2", room=(600, 1000, 10))],
    )

    assert round(bound_of(problem, (0,), [np.array([0, -1]), np.array([1, 0])]), 3) == 4.0


@pytest.mark.parametrize("weight", [3, 2**30 + 1, 2**44 + 1])
def test_rounding_lifts_no_bound_where_weights_are_huge(weight: int) -> None:
    runs = [
        make_item(f"r{node}{pod}", node=node, requests=(300 + pod, 1, 1), weight=weight + pod)
        for node in (0, 1, 2)
        for pod in (0, 1)
    ]
    problem = make_problem(
        [*runs, make_item("waits", requests=(650, 1, 1))], [make_site(f"n{number}") for number in range(3)]
    )
    plan = np.array([1, 0, 1, 1, 2, 2, 0])
    bound = bound_of(problem, (0,), [np.array([0, 0, 1, 1, 2, 2, -1]), plan])

    assert bound <= weight
    assert weight > 2**20 or bound > weight - 1e-3  # the linear program gives up on larger ones


@given(problem=problems(items=5, ties=False))
def test_no_plan_costs_less(problem: Problem) -> None:
    assume(problem.items and problem.sites and not any(item.must_leave for item in problem.items))
    best = best_plan(problem, PLAIN)
    counted = vectors.tally(problem, best)
    assume(not any(counted.evicted))
    nothing, plan = (
        np.array([-1 if place is None else place for place in places])
        for places in (tuple(item.node for item in problem.items), best)
    )

    assert bound_of(problem, counted.unplaced, [nothing, plan]) <= sum(counted.weights) + 1e-5
