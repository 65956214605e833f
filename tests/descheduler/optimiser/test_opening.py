"""The policy says who solves, and whoever it is stands behind the checker."""

import threading
from pathlib import Path
from typing import Any

import pytest

from descheduler.optimiser.opening import in_process, open_solver, options_of
from descheduler.optimiser.solution import Options, Proof, doing_nothing
from policies.model.plan import Plan
from tests.descheduler.optimiser.programs import write_program
from tests.descheduler.optimiser.test_oracle import PAPER

QUICK = Options(deterministic=0.2, workers=1)


@pytest.mark.parametrize("name", ["bayplan", "released", "repaired"])
def test_solver_of_the_policy_solves_the_papers_example(name: Any) -> None:
    solver = open_solver(Plan(solver=name), resident=False)

    solution = solver.solve(PAPER, QUICK, threading.Event())

    assert solver.name == solution.solver == name
    assert solution.proof is Proof.IMPROVED_PROVEN
    assert solution.assignment in {(0, 0, 1, 1), (0, 1, 0, 1)}


@pytest.mark.parametrize("name", ["bayplan", "released", "repaired"])
def test_solver_in_a_worker_process_does_so_too(name: Any) -> None:
    solver = open_solver(Plan(solver=name), resident=True)

    # By the clock: the worker's start counts, and takes seconds on a busy machine.
    solution = solver.solve(PAPER, Options(time_limit=15.0), threading.Event())
    solver.close()

    assert solution.vector == {"V[0]": 0, "U[0]": 0, "D": 1}
    assert solution.solver == name


def test_commands_answer_is_checked(tmp_path: Path) -> None:
    command = write_program(tmp_path, "answer(assignment=[0, 0, 0, 0], proven=True)")
    solver = open_solver(Plan(solver="command", command=command), resident=True, folder=tmp_path / "saved")

    solution = solver.solve(PAPER, QUICK, threading.Event())

    assert solution.assignment == doing_nothing(PAPER)
    assert solution.counts == {"answered": 1, "rejected": 1}
    assert "capacity: cpu of n1: seen 2000; allowed is at most 1000" in solution.troubles
    assert len(list((tmp_path / "saved").iterdir())) == 1


def test_unknown_name_is_told() -> None:
    with pytest.raises(ValueError, match="seen solver 'cplex'; allowed are bayplan, released and repaired"):
        in_process("cplex")


def test_options_are_the_policys() -> None:
    policy = Plan(time_limit=3.0, order="frozen", evict_for_count=True, price="any")

    allowed = options_of(policy, seed=7, workers=1, deterministic=0.5)

    assert allowed == Options(
        time_limit=3.0, order="frozen", evict_for_count=True, price=None, seed=7, workers=1, deterministic=0.5
    )
    assert options_of(Plan()).price == 8
