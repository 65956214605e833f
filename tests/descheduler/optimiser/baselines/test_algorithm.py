"""Algorithm 8 as released keeps its errors; repaired it has none of them, and its plans pass every rule."""

import random
import threading
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from descheduler.optimiser.baselines.released import ReleasedSolver
from descheduler.optimiser.baselines.repaired import RepairedSolver
from descheduler.optimiser.checking import Rule, check
from descheduler.optimiser.problem import Budget, Problem
from descheduler.optimiser.solution import Options, Proof, Solver, doing_nothing
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.strategies import options, problems

REPEATABLE = Options(deterministic=0.3, workers=1)
BOTH = pytest.mark.parametrize("solver", [ReleasedSolver(), RepairedSolver()], ids=lambda solver: solver.name)
# Two nodes, a pod on each; the pending one fits where one of them moves to the other.
MOVABLE = make_problem(
    [
        make_item("left", node=0, requests=(400, 400, 1)),
        make_item("right", node=1, requests=(500, 500, 1)),
        make_item("large", requests=(900, 900, 1)),
    ]
)
# One full node: nothing can be done.
FULL = make_problem(
    [make_item("running", node=0, requests=(900, 900, 1)), make_item("pending", requests=(200, 200, 1))], [make_site()]
)


@BOTH
def test_pod_is_moved_to_make_room(solver: Solver) -> None:
    solution = solver.solve(MOVABLE, REPEATABLE, threading.Event())

    assert solution.proof is Proof.IMPROVED_PROVEN
    assert solution.assignment in {(1, 1, 0), (0, 0, 1)}
    assert solution.solver == solver.name
    assert solution.path[-1].placed == (3,)


@BOTH
def test_cluster_without_pods_is_left_alone(solver: Solver) -> None:
    solution = solver.solve(make_problem([]), REPEATABLE, threading.Event())

    assert solution.assignment == ()
    assert solution.proof in {Proof.NOTHING_BETTER, Proof.NOTHING_FOUND}


@BOTH
def test_cancelled_run_does_nothing(solver: Solver) -> None:
    stop = threading.Event()
    stop.set()

    solution = solver.solve(MOVABLE, REPEATABLE, stop)

    assert solution.assignment == doing_nothing(MOVABLE)
    assert solution.proof is Proof.NOTHING_FOUND
    assert solution.counts["UNKNOWN"] >= 1


@BOTH
def test_running_solve_is_cancelled(solver: Solver) -> None:
    rng = random.Random(5)
    sizes = [(rng.randint(50, 500), rng.randint(50, 500), 1) for _ in range(160)]
    crowded = make_problem(
        [make_item(f"pod-{number}", requests=size) for number, size in enumerate(sizes)],
        [make_site(f"n{number}") for number in range(40)],
    )
    stop = threading.Event()
    threading.Timer(1.0, stop.set).start()
    began = time.monotonic()

    solution = solver.solve(crowded, Options(time_limit=100.0, workers=1), stop)

    assert time.monotonic() - began < 20.0
    assert check(crowded, solution.assignment, Options()) == ()


@BOTH
def test_run_is_repeatable(solver: Solver) -> None:
    first, second = (solver.solve(MOVABLE, REPEATABLE, threading.Event()) for _ in range(2))

    assert (first.assignment, first.counts) == (second.assignment, second.counts)


def test_released_throws_out_a_pod_to_place_a_pending_one() -> None:
    solution = ReleasedSolver().solve(FULL, REPEATABLE, threading.Event())

    assert solution.path[-1].placed == (1,)
    assert solution.path[-1].disruptions == 1
    assert solution.assignment == doing_nothing(FULL)  # it is no better than that
    assert solution.proof is Proof.NOTHING_FOUND


def test_repaired_proves_that_nothing_can_be_done() -> None:
    solution = RepairedSolver().solve(FULL, REPEATABLE, threading.Event())

    assert solution.assignment == doing_nothing(FULL)
    assert solution.proof is Proof.NOTHING_BETTER


def test_released_discards_its_plan_where_a_phase_runs_out_of_time() -> None:
    solution = ReleasedSolver().solve(MOVABLE, replace(REPEATABLE, deterministic=0.0), threading.Event())

    assert solution.assignment == doing_nothing(MOVABLE)
    assert solution.counts == {"UNKNOWN": 1}


def test_repaired_goes_on_where_a_phase_runs_out_of_time() -> None:
    solution = RepairedSolver().solve(MOVABLE, replace(REPEATABLE, deterministic=0.0), threading.Event())

    assert solution.counts == {"UNKNOWN": 2}
    assert solution.proof is Proof.NOTHING_FOUND


def test_repaired_preempts_a_less_important_pod() -> None:
    items = [replace(FULL.items[0], tier=1), FULL.items[1]]

    solution = RepairedSolver().solve(replace(FULL, items=tuple(items), tiers=2), REPEATABLE, threading.Event())

    assert solution.assignment == (None, 0)
    assert solution.proof is Proof.IMPROVED_PROVEN


def test_repaired_preempts_nobody_where_the_price_is_nothing() -> None:
    items = [replace(FULL.items[0], tier=1), FULL.items[1]]
    problem = replace(FULL, items=tuple(items), tiers=2)

    solution = RepairedSolver().solve(problem, replace(REPEATABLE, price=0), threading.Event())

    assert solution.assignment == doing_nothing(problem)


def test_repaired_keeps_a_budget_that_released_does_not_know() -> None:
    closed = replace(MOVABLE, budgets=(Budget(name="pdb", members=(0, 1), allowed=0),))

    released, repaired = (
        solver.solve(closed, REPEATABLE, threading.Event()) for solver in (ReleasedSolver(), RepairedSolver())
    )

    assert {violation.rule for violation in check(closed, released.assignment, REPEATABLE)} == {Rule.BUDGET}
    assert repaired.assignment == doing_nothing(closed)


@settings(max_examples=40)
@given(problems(items=5), options(0.05))
def test_repaired_plan_passes_every_rule(problem: Problem, allowed: Options) -> None:
    solution = RepairedSolver().solve(problem, allowed, threading.Event())

    # It counts pods where the policy lets it, and is then judged by usage too.
    excused = {Rule.USAGE} if allowed.evict_for_count else set()
    assert {violation.rule for violation in check(problem, solution.assignment, allowed)} <= excused


@settings(max_examples=20)
@given(problems(items=5, ties=False), st.just(REPEATABLE))
def test_released_plan_breaks_nothing_but_budgets(problem: Problem, allowed: Options) -> None:
    solution = ReleasedSolver().solve(problem, allowed, threading.Event())

    assert {violation.rule for violation in check(problem, solution.assignment, allowed)} <= {Rule.BUDGET}
