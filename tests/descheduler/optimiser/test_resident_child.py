"""The worker's side, in this process, over a real line."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe

import pytest

from descheduler.optimiser.problem import Problem
from descheduler.optimiser.resident import Cancel, Ready, Task
from descheduler.optimiser.resident_child import serve
from descheduler.optimiser.solution import Options, Proof, Solution, Stop
from tests.descheduler.optimiser.builders import make_problem


@dataclass(frozen=True)
class Acting:
    """A solver that does what the test says."""

    act: Callable[[Stop], None]
    name: str = "acting"

    def solve(self, _problem: Problem, _options: Options, stop: Stop) -> Solution:
        """Act, then answer."""
        self.act(stop)
        return Solution(assignment=(), proof=Proof.NOTHING_FOUND, solver=self.name)


@contextmanager
def serving(act: Callable[[Stop], None]) -> Iterator[Connection]:
    ours, theirs = Pipe()
    thread = threading.Thread(target=serve, args=(theirs, Acting(act)), daemon=True)
    thread.start()
    assert ours.recv() == Ready()
    yield ours
    ours.close()
    theirs.close()
    thread.join(20)


def task(number: int) -> Task:
    return Task(number, make_problem(), Options())


def until_stopped(stop: Stop) -> None:
    ends = time.monotonic() + 20.0
    while not stop.is_set():
        assert time.monotonic() < ends
        time.sleep(0.001)


def test_each_task_gets_an_answer() -> None:
    with serving(lambda _stop: None) as line:
        line.send(task(1))
        first = line.recv()
        line.send(task(2))
        second = line.recv()

    assert first == second == Solution(assignment=(), proof=Proof.NOTHING_FOUND, solver="acting")


def test_cancel_reaches_the_solver() -> None:
    with serving(until_stopped) as line:
        line.send(task(1))
        line.send(Cancel(1))

        assert line.poll(5.0)


def test_cancel_of_an_earlier_task_stops_nothing() -> None:
    with serving(until_stopped) as line:
        line.send(Cancel(1))
        line.send(task(2))
        line.send(Cancel(1))
        too_early = line.poll(0.1)
        line.send(Cancel(2))

        assert not too_early
        assert line.poll(5.0)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # the traceback is what is wanted
def test_solver_that_raises_ends_the_worker() -> None:
    def fail(_stop: Stop) -> None:
        raise RuntimeError("no solution today")

    ours, theirs = Pipe()
    ours.send(task(1))

    serve(theirs, Acting(fail))
    theirs.close()

    assert ours.recv() == Ready()
    with pytest.raises(EOFError):
        ours.recv()
