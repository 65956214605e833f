"""An external solver is asked in JSON, ended when late with all it started, and its faults are told by path."""

import os
import tempfile
import threading
import time
from pathlib import Path

import pytest

from descheduler.optimiser.external import CommandSolver, ExternalError
from descheduler.optimiser.solution import Options, Proof, doing_nothing
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.programs import write_program

PROBLEM = make_problem([make_item("running", node=0), make_item("pending")])
QUICK = Options(time_limit=10.0)


def ask(command: tuple[str, ...], options: Options = QUICK) -> ExternalError:
    """Return the error that asking this command ends with."""
    with pytest.raises(ExternalError) as raised:
        CommandSolver(command).ask(PROBLEM, options, threading.Event())
    return raised.value


def test_answer_becomes_the_plan(tmp_path: Path) -> None:
    command = write_program(tmp_path, "answer(assignment=[0, 1], proven=True)")

    solution = CommandSolver(command).solve(PROBLEM, QUICK, threading.Event())

    assert solution.assignment == (0, 1)
    assert solution.proof is Proof.IMPROVED_PROVEN
    assert solution.vector == {"V[0]": 0, "U[0]": 0, "D": 0}
    assert solution.counts == {"answered": 1}


def test_program_sees_problem_and_options(tmp_path: Path) -> None:
    command = write_program(
        tmp_path,
        """
        assert request["version"] == 1 and request["options"]["time_limit"] == 10.0
        free = [i for i, item in enumerate(request["problem"]["items"]) if item["node"] is None]
        answer(assignment=[item["node"] if i not in free else 1 for i, item in enumerate(request["problem"]["items"])])
        """,
    )

    assert CommandSolver(command).ask(PROBLEM, QUICK, threading.Event()).assignment == (0, 1)


def test_every_fault_of_a_malformed_answer_is_told(tmp_path: Path) -> None:
    failed = ask(write_program(tmp_path, 'answer(assignment=[0.5, "n1"], proved=True)'))

    assert failed.kind == "malformed"
    assert "answer.assignment[0]: seen 0.5; allowed is a valid integer" in str(failed)
    assert "answer.assignment[1]: seen 'n1'; allowed is a valid integer" in str(failed)
    assert "answer.proved: seen an unknown field" in str(failed)


def test_node_that_does_not_exist_is_told(tmp_path: Path) -> None:
    failed = ask(write_program(tmp_path, "answer(assignment=[0, 7])"))

    assert "answer.assignment[1]: seen 7; allowed is null, or a node from 0 to 1" in str(failed)


def test_text_that_is_no_json_is_told(tmp_path: Path) -> None:
    assert "allowed is one JSON object" in str(ask(write_program(tmp_path, 'print("done")')))


def test_program_that_fails_is_quoted(tmp_path: Path) -> None:
    failed = ask(write_program(tmp_path, 'sys.exit("no licence")'))

    assert failed.kind == "failed"
    assert "seen exit code 1; allowed is 0. It said: no licence" in str(failed)


def test_program_that_does_not_exist_is_named() -> None:
    failed = ask(("/nonexistent/solver",))

    assert failed.kind == "failed"
    assert "/nonexistent/solver: could not be started" in str(failed)


def test_late_program_becomes_doing_nothing(tmp_path: Path) -> None:
    command = write_program(tmp_path, "time.sleep(60)")

    solution = CommandSolver(command).solve(PROBLEM, Options(time_limit=0.3), threading.Event())

    assert solution.assignment == doing_nothing(PROBLEM)
    assert solution.proof is Proof.NOTHING_FOUND
    assert solution.counts == {"late": 1}
    assert solution.troubles == (f"{command[0]}: seen no end after 0.3 s; allowed are 0.3 s",)


def test_what_a_late_program_started_ends_with_it(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    command = write_program(
        tmp_path,
        f"""
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        open({str(told)!r}, "w").write(str(child.pid))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
        """,
    )

    assert ask(command, Options(time_limit=1.0)).kind == "late"

    assert _is_gone(int(told.read_text()))


def test_what_an_early_program_left_behind_ends_too(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    command = write_program(
        tmp_path,
        f"""
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        open({str(told)!r}, "w").write(str(child.pid))
        answer(assignment=[0, None])
        """,
    )

    CommandSolver(command).ask(PROBLEM, QUICK, threading.Event())

    assert _is_gone(int(told.read_text()))


def test_cancelled_program_ends_at_once(tmp_path: Path) -> None:
    command = write_program(tmp_path, "time.sleep(60)")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()

    solution = CommandSolver(command).solve(PROBLEM, QUICK, stop)

    assert solution.counts == {"cancelled": 1}
    assert time.monotonic() - began < 5.0


@pytest.mark.parametrize("descriptor", [1, 2], ids=["answer", "words"])
def test_endless_output_is_cut_off(tmp_path: Path, descriptor: int) -> None:
    command = write_program(tmp_path, f'while True: os.write({descriptor}, b"0" * 1048576)')

    failed = ask(command)

    assert failed.kind == "malformed"
    assert "bytes of output" in str(failed)


def test_no_folder_for_temporary_files_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = write_program(tmp_path, "answer(assignment=[0, 1])")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))

    assert CommandSolver(command).solve(PROBLEM, QUICK, threading.Event()).assignment == (0, 1)


@pytest.mark.parametrize("program", ["", "a\0b"])
def test_name_that_no_program_has_is_told(program: str) -> None:
    failed = ask((program,))

    assert failed.kind == "failed"
    assert "could not be started" in str(failed)


def _is_gone(pid: int) -> bool:
    """Whether a process has ended, or is only waiting for its parent to notice."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state in {"Z", "X"}:
            return True
        time.sleep(0.02)
    os.kill(pid, 9)
    return False
