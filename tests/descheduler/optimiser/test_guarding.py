"""No answer passes unchecked: what is wrong is counted, kept for replay, and becomes doing nothing."""

import threading
from pathlib import Path
from typing import Any

import pytest

from descheduler.optimiser import documents
from descheduler.optimiser.checking import check
from descheduler.optimiser.guarding import GuardedSolver
from descheduler.optimiser.solution import Options, Proof, Solution, doing_nothing
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.scripted import ScriptedSolver

PROBLEM = make_problem([make_item("running", node=0), make_item("large", requests=(950, 1, 1))])
OVERFULL = (0, 0)


def solve(solver: ScriptedSolver, folder: Path | None = None, **changes: Any) -> Solution:
    """Return what a guarded solver answers to the problem."""
    problem = changes.get("problem", PROBLEM)
    return GuardedSolver(solver, folder=folder).solve(problem, Options(), threading.Event())


def test_valid_answer_passes() -> None:
    solution = solve(ScriptedSolver((0, 1), counts={"OPTIMAL": 2}))

    assert solution.assignment == (0, 1)
    assert solution.vector == {"V[0]": 0, "U[0]": 0, "D": 0}
    assert solution.baseline == {"V[0]": 0, "U[0]": 1, "D": 0}
    assert solution.counts == {"OPTIMAL": 2}
    assert solution.timings["check"] >= 0


def test_invalid_answer_becomes_doing_nothing() -> None:
    solution = solve(ScriptedSolver(OVERFULL, proof=Proof.IMPROVED_PROVEN, counts={"OPTIMAL": 2}))

    assert solution.assignment == doing_nothing(PROBLEM)
    assert solution.proof is Proof.NOTHING_FOUND
    assert solution.counts == {"OPTIMAL": 2, "rejected": 1}
    assert solution.troubles == ("capacity: cpu of n1: seen 1050; allowed is at most 1000",)


def test_rejected_answer_can_be_judged_again(tmp_path: Path) -> None:
    solve(ScriptedSolver(OVERFULL), folder=tmp_path / "rejected")

    (saved,) = (tmp_path / "rejected").iterdir()
    rejected = documents.decode_rejected(saved.read_bytes())
    assert (rejected.solver, rejected.problem, rejected.assignment) == ("scripted", PROBLEM, OVERFULL)
    assert tuple(map(str, check(rejected.problem, OVERFULL, rejected.options))) == rejected.violations


def test_rejected_answer_that_is_no_number_is_saved_too(tmp_path: Path) -> None:
    solution = solve(ScriptedSolver((0, 1.5)), folder=tmp_path)

    (saved,) = tmp_path.iterdir()
    assert documents.decode_rejected(saved.read_bytes()).assignment == (0, "1.5")
    assert solution.troubles == ("fate: large: seen node 1.5; allowed is none, or one of 0 to 1",)


def test_only_so_many_rejected_answers_are_kept(tmp_path: Path) -> None:
    for number in range(30):
        solve(ScriptedSolver((0, number + 2)), folder=tmp_path)

    assert len(list(tmp_path.iterdir())) == 20


@pytest.mark.parametrize("count", ["crashed", "failed-invalid"])
def test_problem_that_a_solver_failed_on_is_kept(tmp_path: Path, count: str) -> None:
    solution = solve(ScriptedSolver((0, None), counts={count: 1, "OPTIMAL": 1}), folder=tmp_path)

    (saved,) = tmp_path.iterdir()
    assert saved.name.startswith("failed-")
    assert documents.decode_rejected(saved.read_bytes()).problem == PROBLEM
    assert solution.counts[count] == 1


def test_problem_that_is_merely_hard_is_not_kept(tmp_path: Path) -> None:
    solve(ScriptedSolver((0, None), counts={"late": 1, "UNKNOWN": 3}), folder=tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_folder_that_cannot_be_written_costs_only_the_file(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")

    assert solve(ScriptedSolver(OVERFULL), folder=blocked / "below").counts == {"rejected": 1}


@pytest.mark.parametrize(
    ("claimed", "assignment", "deserved"),
    [
        (Proof.NOTHING_BETTER, (0, 1), Proof.IMPROVED_PROVEN),
        (Proof.NOTHING_FOUND, (0, 1), Proof.IMPROVED),
        (Proof.IMPROVED_PROVEN, (0, None), Proof.NOTHING_BETTER),
        (Proof.IMPROVED, (0, None), Proof.NOTHING_FOUND),
    ],
)
def test_proof_says_what_the_answer_deserves(
    claimed: Proof, assignment: tuple[int | None, ...], deserved: Proof
) -> None:
    assert solve(ScriptedSolver(assignment, proof=claimed)).proof is deserved


def test_problem_that_is_none_reaches_no_solver() -> None:
    solver = ScriptedSolver(())

    solution = solve(solver, problem=make_problem([make_item(eligible=4)]))

    assert solver.asked == []
    assert solution.counts == {"unsound": 1}
    assert solution.troubles == ("problem.items[0].eligible: seen 4; allowed is 0 to 0",)


def test_closing_closes_the_solver() -> None:
    solver = ScriptedSolver(())

    GuardedSolver(solver).close()

    assert solver.closed


def test_name_is_the_solvers() -> None:
    assert GuardedSolver(ScriptedSolver(())).name == "scripted"
