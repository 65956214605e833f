"""The solver in a process of its own, with the real process."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from descheduler.optimiser.problem import Problem
from descheduler.optimiser.resident import ResidentSolver
from descheduler.optimiser.solution import Options, Proof, doing_nothing
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

RUNNING = threading.Event()  # never set: nobody cancels
OPTIONS = Options(time_limit=5.0, workers=1)


@pytest.fixture(scope="module")
def solver() -> Iterator[ResidentSolver]:
    resident = ResidentSolver("repaired", late_after=10.0)
    yield resident
    resident.close()


def the_paper() -> Problem:
    """Return the paper's example: the last pod fits once the one before it has moved to the first node."""
    sites = [make_site(name, room=(1000, 1000, 10)) for name in ("n1", "n2")]
    cores = [400, 300, 400, 700]
    nodes = [0, 1, 1, None]
    items = [
        make_item(f"pod{at}", requests=(core, 100, 1), node=node)
        for at, (core, node) in enumerate(zip(cores, nodes, strict=True), start=1)
    ]
    return make_problem(items, sites)


def test_worker_solves(solver: ResidentSolver) -> None:
    solution = solver.solve(the_paper(), OPTIONS, RUNNING)

    assert solution.proof is Proof.IMPROVED_PROVEN
    assert solution.assignment == (0, 1, 0, 1)


def test_worker_stays_between_solves(solver: ResidentSolver) -> None:
    solver.solve(the_paper(), OPTIONS, RUNNING)
    before = solver.pid

    solver.solve(the_paper(), OPTIONS, RUNNING)

    assert solver.pid == before


def test_killed_worker_answers_nothing_and_the_next_one_solves(solver: ResidentSolver) -> None:
    assert solver.pid is not None
    os.kill(solver.pid, signal.SIGKILL)

    first = solver.solve(the_paper(), OPTIONS, RUNNING)
    second = solver.solve(the_paper(), OPTIONS, RUNNING)

    assert first.counts == {"crashed": 1}
    assert first.troubles == ("the worker died",)
    assert first.assignment == doing_nothing(the_paper())
    assert second.assignment == (0, 1, 0, 1)


def test_worker_that_does_not_stop_is_ended_at_once(solver: ResidentSolver) -> None:
    solver.solve(the_paper(), OPTIONS, RUNNING)
    assert solver.pid is not None
    os.kill(solver.pid, signal.SIGSTOP)
    cancelled = threading.Event()
    cancelled.set()
    began = time.monotonic()

    solution = solver.solve(the_paper(), OPTIONS, cancelled)

    assert solution.counts == {"killed": 1}
    assert time.monotonic() - began < 5.0


def test_start_of_a_worker_counts_for_no_limit() -> None:
    solver = ResidentSolver("repaired", late_after=2.0)
    assert solver.pid is not None
    os.kill(solver.pid, signal.SIGSTOP)
    threading.Timer(3.0, os.kill, (solver.pid, signal.SIGCONT)).start()

    solution = solver.solve(the_paper(), Options(time_limit=0.5, workers=1), RUNNING)
    solver.close()

    assert "late" not in solution.counts
    assert solution.assignment == (0, 1, 0, 1)


def test_solve_that_is_cancelled_before_it_begins_leaves_the_worker_alone() -> None:
    solver = ResidentSolver("repaired")
    pid = solver.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    cancelled = threading.Event()
    cancelled.set()

    solution = solver.solve(the_paper(), OPTIONS, cancelled)
    os.kill(pid, signal.SIGCONT)
    later = solver.solve(the_paper(), OPTIONS, RUNNING)

    assert solution.counts == {"starting": 1}
    assert (solver.pid, later.assignment) == (pid, (0, 1, 0, 1))
    solver.close()


def test_late_worker_is_ended() -> None:
    solver = ResidentSolver("repaired", late_after=0.1)
    solver.solve(the_paper(), OPTIONS, RUNNING)  # it has started
    assert solver.pid is not None
    os.kill(solver.pid, signal.SIGSTOP)

    solution = solver.solve(the_paper(), Options(time_limit=0.1), RUNNING)
    solver.close()

    assert solution.counts == {"late": 1}
    assert solution.proof is Proof.NOTHING_FOUND


def test_closed_solver_has_no_process_left() -> None:
    solver = ResidentSolver("repaired")
    pid = solver.pid
    assert pid is not None

    solver.close()

    assert solver.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_unknown_solver_ends_the_worker() -> None:
    solver = ResidentSolver("nobody")

    solution = solver.solve(the_paper(), OPTIONS, RUNNING)
    solver.close()

    assert solution.counts == {"crashed": 1}


def test_parent_does_not_import_or_tools() -> None:
    code = "import descheduler.optimiser.resident, sys; sys.exit('ortools' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
