"""What is said of fewer disruptions holds for the plan it is said of; amounts may be absurd."""

import threading
from dataclasses import replace

import pytest

from descheduler.optimiser import solving
from descheduler.optimiser.checking import check
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Proof, Solution
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

OPTIONS = Options(evict_for_count=True, price=None, deterministic=1.0, workers=1)
SOME = 2**59


@pytest.fixture(autouse=True)
def columns_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let columns run for tiny models."""
    monkeypatch.setattr(solving, "_SHARES", ((0, 0.95), (solving.WHOLE, 0.45)))


def solved(problem: Problem, options: Options = OPTIONS) -> Solution:
    return solving.BayplanSolver().solve(problem, options, threading.Event())


def test_rounded_amounts_bound_nothing() -> None:
    """All three fit beside each other on n1; rounded up they do not."""
    runs = make_item("runs", node=1, requests=(3 * SOME, 2 * SOME))
    pods = [
        make_item("large", requests=(3 * SOME, 4 * SOME), eligible=1),
        make_item("small", requests=(SOME + 1, 2 * SOME), eligible=1),
    ]
    rooms = [(0, 0), (8 * SOME, 8 * SOME), (6 * SOME, 5 * SOME)]
    sites = [make_site(f"n{at}", room=room) for at, room in enumerate(rooms)]
    eligibility = ((0, 1, 2), (1,))
    problem = make_problem([runs, *pods], sites, eligibility=eligibility, resources=("cpu", "memory"))
    solution = solved(problem)

    assert (solution.vector["U[0]"], solution.disruptions_bound) == (0, None)
    assert check(problem, solution.assignment, OPTIONS) == ()


def test_exact_amounts_bound_the_answer() -> None:
    runs = [make_item(f"r{node}{pod}", node=node, requests=(300, 1, 1)) for node in (0, 1) for pod in (0, 1)]
    solution = solved(make_problem([*runs, make_item("waits", requests=(600, 1, 1))]))

    assert (solution.vector["D"], solution.disruptions_bound) == (1, 1)


def test_usage_beyond_64_bits_is_no_error() -> None:
    """The use of today, told of a node far over its room, is more of the other resource than anybody could ask for."""
    rooms = [(-SOME, 6 * SOME), (-SOME, 3 * SOME), (SOME, 6 * SOME)]
    sites = [make_site(f"n{at}", room=room, allocatable=(max(0, room[0]), room[1])) for at, room in enumerate(rooms)]
    items = [
        make_item("a", node=0, requests=(3 * SOME, 2 * SOME)),
        make_item("b", node=1, requests=(3 * SOME, 2 * SOME)),
        make_item("waits", requests=(SOME, SOME)),
    ]
    solution = solved(make_problem(items, sites, resources=("cpu", "memory")))

    assert (solution.assignment, solution.proof) == ((0, 1, None), Proof.NOTHING_FOUND)


def test_a_bound_is_not_told_of_a_plan_that_evicts_after_it() -> None:
    """Without evictions nothing can be had, and columns bound that; the proof evicts for the more important tier."""
    items = [make_item("low", node=0, tier=1, requests=(600, 1, 1)), make_item("high", requests=(600, 1, 1))]
    solution = solved(make_problem(items, [make_site()]), replace(OPTIONS, evict_for_count=False))

    assert (solution.assignment, solution.disruptions_bound) == ((None, 0), None)
