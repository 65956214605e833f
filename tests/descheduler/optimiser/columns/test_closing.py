"""Bound and choice together: plans that cannot be bettered, and what is said of them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from descheduler.optimiser import vectors
from descheduler.optimiser.checking import check
from descheduler.optimiser.columns import closing
from descheduler.optimiser.columns.closing import Closer
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.columns.frames import frame_of, search_of
from tests.descheduler.optimiser.oracle import allowed_plans, best_plan
from tests.descheduler.optimiser.strategies import problems

PLAIN = Options(price=None, deterministic=5.0, workers=1)

# 600 fit where one of 300 goes. The plan that is given moves three, of which none could change places with another one.
RUNS = [make_item(f"r{pod}", node=pod // 2, requests=(300, 1, 1), tier=pod) for pod in range(4)]
CROWDED = make_problem([*RUNS, make_item("waits", requests=(600, 1, 1))])


def closer_from(problem: Problem, plan: Assignment) -> tuple[Closer, vectors.Tally]:
    """Close from a plan, and return what came of it."""
    frame = frame_of(problem)
    search = search_of(frame, PLAIN)
    search.offer(np.array([-1 if place is None else place for place in plan]))
    closer = Closer(search, frame)
    closer.generate(until=2.0)
    closer.choose(until=5.0)
    assignment = tuple(None if node < 0 else int(node) for node in search.where)
    assert not check(problem, assignment, PLAIN)
    return closer, vectors.tally(problem, assignment)


def closed(problem: Problem, rank: int) -> tuple[Closer, vectors.Tally, int]:
    """Close from a plan that places as many as the best one; return what came of it, and the best one's weight."""
    assume(problem.items and problem.sites and problem.max_disruptions is None and not problem.budgets)
    best = vectors.tally(problem, best_plan(problem, PLAIN))
    assume(not any(best.evicted))
    same = [
        plan
        for plan in allowed_plans(problem, PLAIN)
        if vectors.tally(problem, plan).unplaced == best.unplaced and not any(vectors.tally(problem, plan).evicted)
    ]
    return *closer_from(problem, same[min(rank, len(same) - 1)]), sum(best.weights)


def test_a_plan_comes_down_to_its_bound() -> None:
    closer, found = closer_from(CROWDED, (1, 1, 1, 0, 0))

    assert (closer.bound, closer.proven, sum(found.moved)) == (1, True, 1)


def test_where_contents_are_too_many_a_better_plan_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closing, "_CHOICES", 0)

    closer, found = closer_from(CROWDED, (1, 1, 1, 0, 0))

    assert (closer.bound, sum(found.moved)) == (1, 1)


def test_a_guess_in_vain_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closing, "_CHOICES", 0)
    monkeypatch.setattr(closing, "_GUESSED", 0)

    closer, found = closer_from(CROWDED, (1, 1, 1, 0, 0))

    assert (closer.bound, closer.proven, sum(found.moved)) == (1, False, 3)


@pytest.mark.parametrize("kept", [1, 8])
@settings(max_examples=30)
@given(rank=st.integers(0, 3), problem=problems(items=5, ties=False))
def test_what_is_left_of_too_many_contents_bounds_no_more_than_the_best(kept: int, rank: int, problem: Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closing, "_KEPT", kept)

        closer, found, best = closed(problem, rank)

    assert closer.bound <= best <= sum(found.weights)


def test_a_time_that_is_over_proves_nothing() -> None:
    frame = frame_of(CROWDED)
    search = search_of(frame, Options(price=None, deterministic=0.001, workers=1))
    search.offer(np.array([1, 1, 1, 0, 0]))
    before, closer = search.score, Closer(search, frame)
    closer.generate(until=0.0)
    closer.choose(until=0.0)

    assert (closer.bound, closer.proven) == (0, False)
    assert search.score is before


@given(rank=st.integers(0, 3), problem=problems(items=5, ties=False))
def test_what_is_closed_is_the_best_of_all_plans(rank: int, problem: Problem) -> None:
    closer, found, best = closed(problem, rank)

    assert closer.bound <= best <= sum(found.weights)
    if closer.proven:
        assert sum(found.weights) == best
