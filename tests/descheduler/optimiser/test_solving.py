"""The pipeline: what it proves, what it costs, when it stops, and what it keeps when a model fails."""

import threading
import time
from pathlib import Path

import pytest

from descheduler.optimiser.problem import Item, Problem
from descheduler.optimiser.solution import Options, Proof, Solution, doing_nothing
from descheduler.optimiser.solving import BayplanSolver
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site


def solve(problem: Problem, **changes: object) -> Solution:
    """Solve deterministically unless the test says otherwise."""
    defaults: dict[str, object] = {"deterministic": 0.5}
    return BayplanSolver().solve(problem, Options(**(defaults | changes)), threading.Event())  # type: ignore[arg-type]  # by name


def pod(key: str, cpu: int, node: int | None = None, tier: int = 0) -> Item:
    """Return a pod of which only the CPU matters."""
    return make_item(key, requests=(cpu, 1, 1), node=node, tier=tier)


def fragments(moves: int) -> Problem:
    """Return a cluster in which one more pod fits only after so many moves off one node."""
    size = 600 // moves
    home = [pod(f"small-{number}", size, 0) for number in range(moves)]
    others = [pod(f"large-{number}", 1000 - size, 1 + number) for number in range(moves)]
    sites = [make_site(f"n{number}") for number in range(moves + 1)]
    return make_problem([*home, *others, pod("new", 1000)], sites)


def test_nothing_to_do_is_proven_without_a_search() -> None:
    solution = solve(make_problem([pod("a", 100, 0)]))

    assert (solution.proof, solution.counts) == (Proof.NOTHING_BETTER, {})


@pytest.mark.parametrize("problem", [make_problem(), make_problem([pod("a", 5000)])], ids=["no pods", "too large"])
def test_impossible_is_proven(problem: Problem) -> None:
    solution = solve(problem)

    assert solution.assignment == doing_nothing(problem)
    assert solution.proof is Proof.NOTHING_BETTER


def test_place_without_disruption_is_proven_by_its_bound() -> None:
    solution = solve(make_problem([pod("a", 600, 0), pod("new", 600)]))

    assert (solution.assignment, solution.proof, solution.counts) == ((0, 1), Proof.IMPROVED_PROVEN, {})
    assert solution.bounds == (0,)


@pytest.mark.parametrize(("price", "placed"), [(None, True), (3, True), (2, False)])
def test_price_is_what_one_more_pod_may_cost(price: int | None, *, placed: bool) -> None:
    solution = solve(fragments(3), price=price)

    assert (solution.assignment[-1] is not None) == placed
    assert solution.proof is (Proof.IMPROVED_PROVEN if placed else Proof.NOTHING_BETTER)


def test_fewest_disruptions_are_proven() -> None:
    solution = solve(fragments(3))

    assert solution.vector == {"V[0]": 0, "U[0]": 0, "D": 3}
    assert solution.path[-1].disruptions == 3


def test_more_important_pods_may_cost_others_their_place() -> None:
    problem = make_problem([pod("low", 1000, 0, tier=1), pod("low-2", 900, 1, tier=1), pod("high", 800)])
    solution = solve(problem)

    assert solution.vector == {"V[0]": 0, "U[0]": 0, "V[1]": 1, "U[1]": 1, "D": 1}
    assert solution.proof is Proof.IMPROVED_PROVEN


def test_frozen_leaves_important_pods_where_they_are() -> None:
    problem = make_problem([pod("a", 400, 0), pod("b", 600, 1), pod("new", 700, tier=1)])

    assert solve(problem, order="frozen").assignment == (0, 1, None)
    assert solve(problem).assignment == (1, 1, 0)


def test_victim_goes_elsewhere() -> None:
    hot = make_item("hot", requests=(300, 1, 1), node=0, must_leave=True)
    solution = solve(
        make_problem([hot, pod("a", 800, 1)], [make_site("n1"), make_site("n2"), make_site("n3", accepts=False)])
    )

    assert solution.assignment == (None, 1)  # n2 is full, n3 accepts nobody: it stays
    assert solve(make_problem([hot, pod("a", 700, 1)])).assignment == (1, 1)


def test_same_input_gives_the_same_plan() -> None:
    first, second = (solve(fragments(4), price=None) for _ in range(2))

    assert first.assignment == second.assignment
    assert first.counts == second.counts


def test_wall_clock_ends_a_solve() -> None:
    began = time.monotonic()
    solution = solve(fragments(12), deterministic=None, time_limit=0.5, price=None)

    assert solution.assignment
    assert time.monotonic() - began < 10.0  # on a busy machine; alone it is half a second


def test_folder_is_not_needed(tmp_path: Path) -> None:
    BayplanSolver(tmp_path).solve(fragments(3), Options(deterministic=0.5), threading.Event())

    assert list(tmp_path.iterdir()) == []
