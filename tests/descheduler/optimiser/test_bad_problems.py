"""Problems that make no sense, or leave nothing to do, get an answer, never an exception."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from descheduler.optimiser import soundness
from descheduler.optimiser.checking import check
from descheduler.optimiser.clock import Clock
from descheduler.optimiser.guarding import GuardedSolver
from descheduler.optimiser.opening import in_process
from descheduler.optimiser.problem import Attraction, Budget, Problem, Spread
from descheduler.optimiser.solution import Options, Solution, doing_nothing
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

QUICK = Options(deterministic=0.2, workers=1)
HUGE = 2**63 - 1
CYCLE = tuple(
    Attraction(name=name, carriers=carriers, matching=matching, domains=(0, 1))
    for name, carriers, matching in (("left", (0,), (1,)), ("right", (1,), (0,)))
)
SOUND: dict[str, Problem] = {
    "nothing at all": replace(make_problem(), sites=(), eligibility=(), tiers=0, resources=(), primary=()),
    "no pod": make_problem([]),
    "no node": replace(make_problem([make_item()], eligibility=((),)), sites=()),
    "no node that a pod may run on": make_problem([make_item()], eligibility=((),)),
    "no movable pod": make_problem(
        [make_item("running", node=0, requests=(900, 900, 1)), make_item("pending", requests=(200, 200, 1))],
        [make_site()],
        max_disruptions=0,
    ),
    "no pending pod": make_problem([make_item("a", node=0), make_item("b", node=1)]),
    "a node without anything": make_problem([make_item()], [make_site(room=(0, 0, 0))]),
    "a node that shrank below its use": make_problem(
        [make_item("a", node=0), make_item("b", node=0), make_item("c")],
        [make_site(room=(150, 1000, 10)), make_site("n2")],
    ),
    "a node whose fixed pods take more than it has": make_problem(
        [make_item()], [make_site(room=(-500, 1000, 10), allocatable=(1000, 1000, 10))]
    ),
    "huge nodes": make_problem([make_item()], [make_site(f"n{n}", room=(HUGE, HUGE, HUGE)) for n in range(3)]),
    "huge pods": make_problem([make_item(str(n), requests=(HUGE, HUGE, HUGE)) for n in range(5)]),
    "huge pods on huge nodes": make_problem(
        [make_item(str(n), requests=(HUGE, HUGE, 1)) for n in range(5)],
        [make_site(f"n{n}", room=(HUGE, HUGE, 10)) for n in range(3)],
    ),
    "huge pods that run": make_problem([make_item(str(n), node=0, requests=(HUGE, HUGE, 1)) for n in range(3)]),
    "debts beyond measure": make_problem([make_item()], [make_site(room=(-HUGE, -HUGE, -HUGE))]),
    "a pod between huge and tiny": make_problem(
        [make_item("tiny", requests=(1, 1, 1)), make_item("huge", requests=(HUGE - 1, 1, 1))],
        [make_site(room=(HUGE, 1000, 10))],
    ),
    "pods that ask for nothing": make_problem([make_item(str(n), requests=(0, 0, 0)) for n in range(4)]),
    "affinity in a circle": make_problem([make_item("a"), make_item("b")], attractions=CYCLE),
    "affinity in a circle of running pods": make_problem(
        [make_item("a", node=0), make_item("b", node=1), make_item("c", requests=(950, 950, 1))], attractions=CYCLE
    ),
    "a budget below zero": make_problem(
        [make_item("a", node=0), make_item("b", requests=(950, 1, 1)), make_item("c", node=1)],
        budgets=(Budget(name="odd", members=(0, 2), allowed=-5),),
    ),
    "a budget beyond measure": make_problem(
        [make_item(node=0)], budgets=(Budget(name="odd", members=(0,), allowed=HUGE),)
    ),
    "a spread as wide as there are numbers": make_problem(
        [make_item("a", node=0), make_item("b"), make_item("c")],
        spreads=(
            Spread(
                name="wide",
                carriers=(1, 2),
                counted=(0, 1, 2),
                domains=(0, 2**62),
                least_over=(0, 2**62),
                max_skew=2**31 - 1,
                min_domains=HUGE,
                fixed=((0, 2**31 - 1),),
            ),
        ),
    ),
    "a victim that runs nowhere": make_problem([make_item(must_leave=True)]),
    "more tiers than pods": make_problem([make_item(tier=7)], tiers=50),
    "weights beyond measure": make_problem(
        [
            make_item("a", node=0, weight=2**31),
            make_item("b", requests=(950, 950, 1)),
            make_item("c", node=1, weight=2**31),
        ]
    ),
}
UNSOUND: dict[str, Any] = {
    "negative requests": make_item(requests=(-1, 1, 1)),
    "requests beyond 64 bits": make_item(requests=(2**63, 1, 1)),
    "missing requests": make_item(requests=()),
    "a weight beyond measure": make_item(weight=2**41),
    "a weight of nothing": make_item(weight=0),
    "an unknown node": make_item(node=9),
    "an unknown tier": make_item(tier=-(2**31)),
    "unknown eligibility": make_item(eligible=4),
}


def answer(name: str, problem: Problem) -> Solution:
    """Return what a solver behind the guard makes of it."""
    return GuardedSolver(in_process(name)).solve(problem, QUICK, threading.Event())


@pytest.mark.parametrize("solver", ["bayplan", "released", "repaired"])
@pytest.mark.parametrize("problem", SOUND.values(), ids=SOUND.keys())
def test_odd_problem_gets_a_valid_answer(solver: str, problem: Problem) -> None:
    solution = answer(solver, problem)

    assert check(problem, solution.assignment, QUICK) == ()
    assert "rejected" not in solution.counts or solver == "released"
    assert "unsound" not in solution.counts


@pytest.mark.parametrize("item", UNSOUND.values(), ids=UNSOUND.keys())
def test_senseless_problem_is_refused_in_words(item: Any) -> None:
    problem = make_problem([item], tiers=1)

    solution = answer("bayplan", problem)

    assert solution.assignment == doing_nothing(problem)
    assert solution.counts == {"unsound": 1}
    assert solution.troubles[0].startswith("problem.items[0]")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"seed": -1}, "options.seed: seen -1; allowed is 0 to 2147483647"),
        ({"seed": 2**31}, "options.seed: seen 2147483648; allowed is 0 to 2147483647"),
        ({"price": -1}, "options.price: seen -1; allowed is 0 to 2147483647"),
        ({"price": 10**30}, f"options.price: seen {10**30}; allowed is 0 to 2147483647"),
        ({"workers": 0}, "options.workers: seen 0; allowed is 1 or more"),
        ({"time_limit": float("nan")}, "options.time_limit: seen nan; allowed is a finite number of 0 or more"),
        ({"deterministic": -1.0}, "options.deterministic: seen -1.0; allowed is a finite number of 0 or more"),
    ],
)
def test_senseless_options_are_refused_in_words(changes: dict[str, Any], told: str) -> None:
    problem = make_problem([make_item()])

    solution = GuardedSolver(in_process("bayplan")).solve(problem, replace(QUICK, **changes), threading.Event())

    assert (solution.troubles, solution.assignment) == ((told,), (None,))
    assert soundness.option_faults(replace(QUICK, seed=2**31 - 1, price=2**31 - 1)) == ()


@pytest.mark.parametrize("deterministic", [0.0, 1e-9, 0.001, 0.009, 0.015])
def test_a_deterministic_solve_without_time_ends(deterministic: float) -> None:
    sizes = {"a": (0, 600), "b": (1, 600), "waits": (None, 700)}
    items = [make_item(key, node=node, requests=(size, size, 1)) for key, (node, size) in sizes.items()]
    fragmented = make_problem(items, max_disruptions=0)

    options = Options(deterministic=deterministic, workers=1)
    solution = GuardedSolver(in_process("bayplan")).solve(fragmented, options, threading.Event())

    assert solution.assignment == doing_nothing(fragmented)


def test_no_deterministic_time_is_none_of_the_clock_either() -> None:
    clock = Clock(Options(time_limit=30.0, deterministic=0.0), threading.Event(), pods=1)

    assert (clock.limit, clock.over()) == (0.0, True)
