"""Starting, pausing and ending programs by their own id."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.processes import Command, ProgramError
from controlplane.runs import Run
from controlplane.waiting import wait_until


@pytest.fixture
def run() -> Iterator[Run]:
    with Run() as made:
        yield made


def state(process_id: int) -> str | None:
    """Return the kernel's letter for a process's state; None if there is no such process (or only its remains)."""
    try:
        letter = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return None
    return None if letter == "Z" else letter


def sleeper(script: str = "sleep 60", name: str = "sleeper") -> Command:
    return Command(name=name, arguments=["sh", "-c", script])


def test_program_runs_inside_its_block_only(run: Run) -> None:
    with run.program(sleeper("exec sleep 60")) as program:
        process_id = program.pid
        assert program.running

    assert state(process_id) is None
    assert not program.running


def test_output_is_kept_in_the_log(run: Run) -> None:
    program = run.program(sleeper("echo out; echo err >&2"))

    program.start()

    assert program.wait_ended() == 0
    assert program.tail().splitlines() == ["out", "err"]


def test_what_a_program_prints_can_go_elsewhere_than_its_log(run: Run) -> None:
    output = run.folder / "printed"
    program = run.program(Command(name="talker", arguments=["sh", "-c", "echo out; echo err >&2"], output=output))

    program.start()

    assert program.wait_ended() == 0
    assert (output.read_text(), program.tail()) == ("out\n", "err")


def test_program_that_ends_before_it_is_ready_is_reported_with_its_log(run: Run) -> None:
    command = Command(name="broken", arguments=["sh", "-c", "echo bind: address in use; exit 3"], ready=lambda: False)

    with pytest.raises(ProgramError, match=r"broken ended with 3 before it was ready:\nbind: address in use"):
        run.program(command).__enter__()


def test_program_that_is_not_ready_in_time_is_ended(run: Run) -> None:
    program = run.program(Command(name="slow", arguments=["sleep", "60"], ready=lambda: False, within=0.1))

    with pytest.raises(AssertionError, match="for slow to be ready"):
        program.__enter__()

    assert not program.running


def test_program_that_ignores_sigterm_is_killed_after_the_grace_period(run: Run) -> None:
    program = run.program(sleeper("trap '' TERM; echo ready; while :; do sleep 0.05; done"))
    program.start()
    wait_until(program.tail, "the trap to be set")
    process_id = program.pid

    program.stop(grace=0.2)

    assert state(process_id) is None


def test_paused_program_is_stopped_by_the_kernel_and_goes_on_later(run: Run) -> None:
    with run.program(sleeper("exec sleep 60")) as program:
        program.pause()
        wait_until(lambda: state(program.pid) == "T", "the program to be stopped")

        program.resume()
        wait_until(lambda: state(program.pid) == "S", "the program to go on")


def test_what_a_program_started_is_paused_and_killed_with_it(run: Run) -> None:
    program = run.program(sleeper("sleep 60 & echo $!; wait"))
    program.start()
    child = int(wait_until(program.tail, "the child's id"))

    program.pause()
    wait_until(lambda: state(child) == "T", "the child to be stopped")
    program.resume()
    wait_until(lambda: state(child) == "S", "the child to go on")

    program.kill()
    wait_until(lambda: state(child) is None, "the child to be ended")


def test_paused_program_can_be_stopped_within_its_grace_period(run: Run) -> None:
    program = run.program(sleeper("exec sleep 60"))
    program.start()
    program.pause()
    began = time.monotonic()

    program.stop(grace=10)

    assert time.monotonic() - began < 5


def test_restart_makes_a_new_process_with_the_same_log(run: Run) -> None:
    with run.program(sleeper("echo started; exec sleep 60")) as program:
        wait_until(lambda: program.tail() == "started", "the first start")
        before = program.pid

        program.restart()

        wait_until(lambda: program.tail() == "started\nstarted", "the second start")
        assert program.pid != before


def test_a_program_that_was_never_started_has_no_id(run: Run) -> None:
    with pytest.raises(ProgramError, match="sleeper is not running: it was not started, or was stopped"):
        _ = run.program(sleeper()).pid


def test_memory_and_processor_time_are_those_of_the_process(run: Run) -> None:
    with run.program(sleeper("while :; do :; done")) as program:
        wait_until(lambda: program.cpu_seconds() > 0.05, "some processor time")

        assert 100_000 < program.resident_bytes() < 100_000_000


@pytest.mark.parametrize("to_the_group", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_programs_do_not_outlive_a_process_that_was_killed(to_the_group: signal.Signals) -> None:
    script = (
        "import time\n"
        "from controlplane.runs import Run\n"
        "from controlplane.processes import Command\n"
        "run = Run()\n"
        "program = run.program(Command(name='orphan', arguments=['sleep', '60']))\n"
        "program.start()\n"
        "print(run.folder, program.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, process_group=0) as parent:
        assert parent.stdout is not None
        folder, orphan = parent.stdout.readline().split()

        os.killpg(parent.pid, to_the_group)
        os.kill(parent.pid, signal.SIGKILL)

    wait_until(lambda: state(int(orphan)) is None, "the program to be ended by the guard", timeout=5)
    wait_until(lambda: not Path(folder).exists(), "the folder to be removed by the guard", timeout=5)


def test_sigterm_ends_the_programs_of_a_run() -> None:
    script = (
        "import time\n"
        "from controlplane.runs import Run\n"
        "from controlplane.processes import Command\n"
        "from controlplane.terminating import sigterm_interrupts\n"
        "with sigterm_interrupts(), Run() as run:\n"
        "    with run.program(Command(name='child', arguments=['sleep', '60'])) as program:\n"
        "        print(run.folder, program.pid, flush=True)\n"
        "        time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        assert parent.stdout is not None
        folder, child = parent.stdout.readline().split()

        parent.terminate()

    assert state(int(child)) is None
    assert not Path(folder).exists()
