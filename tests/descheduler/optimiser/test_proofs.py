"""What is said to be proven, on 10-14 pods and 4-5 nodes with constraints of every kind: no plan refutes it."""

import threading
from dataclasses import replace

import pytest

from descheduler.optimiser.opening import in_process
from descheduler.optimiser.solution import Options, Proof
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.raw import refutation
from tests.descheduler.optimiser.scattered import scattered

PROVEN = {Proof.IMPROVED_PROVEN, Proof.NOTHING_BETTER}
QUICK = Options(deterministic=0.5, workers=1)
WAYS = [
    replace(QUICK, order=order, evict_for_count=count, price=price)
    for order in ("placement-first", "frozen")
    for count in (False, True)
    for price in (None, 1)
]


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_no_plan_refutes_what_is_proven(options: Options) -> None:
    proven = 0
    for seed in range(4):
        problem = scattered(seed, nodes_within=(4, 5), pods_within=(10, 14))
        solution = in_process("bayplan").solve(problem, options, threading.Event())
        if solution.proof in PROVEN:
            proven += 1
            assert refutation(problem, solution.assignment, options) is None, f"seed {seed}"

    assert proven


def test_a_plan_that_is_not_the_best_is_refuted() -> None:
    problem = make_problem(
        [make_item("runs", node=0, requests=(600, 600, 1)), make_item("waits", requests=(700, 700, 1))],
        [make_site("n1"), make_site("n2", room=(650, 650, 10))],
    )

    assert refutation(problem, (0, None), replace(QUICK, price=None)) == (1, 0)
    assert refutation(problem, (0, None), replace(QUICK, price=0)) is None
    assert refutation(problem, (1, 0), replace(QUICK, price=None)) is None
