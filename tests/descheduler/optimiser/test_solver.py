"""Bayplan's solver on 1,000 random problems: valid, no worse than doing nothing, the best where it says so.

The checker stands for the first two: budgets and constraints kept, no vector above that of doing nothing, no lower
usage unless a more important tier gained. Seeds are fixed, so that a failure names one.
"""

import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings

from descheduler.optimiser import solving, vectors
from descheduler.optimiser.checking import check
from descheduler.optimiser.opening import in_process
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Proof, Solution, Solver, doing_nothing
from tests.descheduler.optimiser.oracle import best_plan
from tests.descheduler.optimiser.scattered import scattered
from tests.descheduler.optimiser.strategies import options, problems

PROVEN = {Proof.IMPROVED_PROVEN, Proof.NOTHING_BETTER}
EFFORT = 0.2  # CP-SAT's own seconds: enough for a proof at this size
VARIANTS = tuple(
    Options(order=order, evict_for_count=evict, price=None, deterministic=EFFORT, workers=1)
    for order in ("placement-first", "frozen")
    for evict in (False, True)
)


@pytest.fixture(scope="module")
def solver() -> Solver:
    """Return the solver, unguarded, in this process."""
    return in_process("bayplan")


def variant(seed: int) -> Options:
    """Return one of the four ways to compare plans, each for a quarter of the seeds."""
    return VARIANTS[seed % len(VARIANTS)]


def solve(solver: Solver, problem: Problem, allowed: Options) -> Solution:
    """Return the answer to a solve that nobody stops."""
    return solver.solve(problem, allowed, threading.Event())


def broken(problem: Problem, allowed: Options, solution: Solution) -> list[str]:
    """Return what is wrong with an answer: rules of the problem that its plan breaks, and what it says of the plan."""
    nothing = doing_nothing(problem)
    better = vectors.better(problem, solution.assignment, nothing, allowed)
    said = {
        "vector": solution.vector == vectors.vector_of(problem, solution.assignment, allowed),
        "baseline": solution.baseline == vectors.vector_of(problem, nothing, allowed),
        "proof": better == (solution.proof in {Proof.IMPROVED, Proof.IMPROVED_PROVEN}),
        "no worse than nothing": not vectors.better(problem, nothing, solution.assignment, allowed),
    }
    return [
        *map(str, check(problem, solution.assignment, allowed)),
        *(what for what, true in said.items() if not true),
    ]


@pytest.mark.parametrize("block", range(12))
def test_answer_keeps_every_rule(solver: Solver, block: int) -> None:
    for seed in range(50 * block, 50 * (block + 1)):
        problem, allowed = scattered(seed), replace(variant(seed), price=8 if seed % 2 else None)

        assert broken(problem, allowed, solve(solver, problem, allowed)) == [], f"seed {seed}"


@settings(max_examples=60)
@given(problems(), options(EFFORT))
def test_answer_keeps_every_rule_in_the_corners(problem: Problem, allowed: Options) -> None:
    solution = solve(in_process("bayplan"), problem, allowed)

    assert broken(problem, allowed, solution) == []


@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("ties", [False, True], ids=["room", "ties"])
def test_proven_answer_is_the_best_there_is(solver: Solver, block: int, *, ties: bool) -> None:
    proven = 0
    for seed in range(1000 + 20 * block, 1000 + 20 * (block + 1)):
        problem = scattered(seed, ties=ties)
        solution = solve(solver, problem, variant(seed))
        assert broken(problem, variant(seed), solution) == [], f"seed {seed}"
        best = vectors.vector_of(problem, best_plan(problem, variant(seed)), variant(seed))
        if solution.proof in PROVEN:
            proven += 1
            assert solution.vector == best, f"seed {seed}"
        assert not vectors.smaller(solution.vector, best), f"seed {seed}"
    assert proven >= 15


@pytest.mark.parametrize("block", range(4))
def test_answer_of_neighbourhoods_alone_keeps_every_rule(
    solver: Solver, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "WHOLE", 0)

    for seed in range(3000 + 20 * block, 3000 + 20 * (block + 1)):
        problem, allowed = scattered(seed), replace(variant(seed), deterministic=0.05)
        solution = solve(solver, problem, allowed)

        assert broken(problem, allowed, solution) == [], f"seed {seed}"
        if solution.proof in PROVEN:
            best = best_plan(problem, allowed)
            assert solution.vector == vectors.vector_of(problem, best, allowed), f"seed {seed}"


def test_same_seed_gives_the_same_answer(solver: Solver) -> None:
    for seed in range(20):
        first, second = (solve(solver, scattered(seed), variant(seed)) for _ in range(2))

        assert (first.assignment, first.proof, first.counts) == (second.assignment, second.proof, second.counts)


def test_cancelled_solve_returns_a_plan(solver: Solver) -> None:
    stop = threading.Event()
    stop.set()

    for seed in range(20):
        solution = solver.solve(scattered(seed), variant(seed), stop)

        assert check(scattered(seed), solution.assignment, variant(seed)) == ()
