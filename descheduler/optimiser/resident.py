"""A solver in a worker process that stays: cancelled at once, ended when late, started again after a crash.

Importing OR-Tools takes half a second, so there is no process a solve; and its search stops no thread of ours. This
process never imports it.
"""

import threading
import time
from dataclasses import dataclass
from typing import Final

from descheduler.optimiser import concluding
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Solution, Stop, doing_nothing
from sources import children

_POLL: Final = 0.01
# A search returned 52 ms after it was told to; whoever takes longer is ended, so that a cancel takes 0.1 s at most.
_CANCELLED_WITHIN: Final = 0.09
# The way of a large problem there and back, and a busy machine (arbitrary).
LATE_AFTER: Final = 5.0
# Half a second on an idle machine; seen: over five on one with ten busy processes a core (arbitrary above that).
STARTS_WITHIN: Final = 60.0


@dataclass(frozen=True, slots=True)
class Task:
    """What the worker is asked."""

    number: int
    problem: Problem
    options: Options


@dataclass(frozen=True, slots=True)
class Ready:
    """Tells that the worker has started and waits for tasks."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Tells the worker to end a task; one that has ended meanwhile is not meant."""

    number: int


class ResidentSolver:
    """Implements `Solver` by one of our own solvers (by its name in the policy) in a process of its own.

    The process starts here, so that it is ready when the first problem comes. One solve at a time: a second one waits.
    `late_after` is what an answer may take beside its limit, in seconds; the start of a worker counts for neither.
    """

    def __init__(self, name: str, *, late_after: float = LATE_AFTER) -> None:
        self._name = name
        self._late_after = late_after
        self._number = 0
        self._solving = threading.Lock()
        self._worker: _Worker | None = _Worker(name)

    @property
    def name(self) -> str:
        """Return the name of the solver in the worker."""
        return self._name

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:
        """Return the worker's answer; doing nothing where it crashed, was late, or did not stop when it was told to."""
        with self._solving:
            self._number += 1
            answer = self._ask(Task(self._number, problem, options), stop)
        if isinstance(answer, Solution):
            return answer
        findings = Findings(solver=self._name, counts={answer: 1}, troubles=(f"the worker {_WORDS[answer]}",))
        return concluding.conclude(problem, doing_nothing(problem), options, findings)

    @property
    def pid(self) -> int | None:
        """Return the worker's process id, None once it is closed."""
        return None if self._worker is None else self._worker.pid

    def close(self) -> None:
        """End the worker; a solve that is under way becomes doing nothing."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def _ask(self, task: Task, stop: Stop) -> "Solution | str":
        """Return an answer, or by a word what became of the worker, which is ended then unless it still starts."""
        worker = self._worker = self._worker or _Worker(self._name)
        try:
            return worker.ask(task, stop, late_after=self._late_after)
        except _NotStarted:
            return "starting"
        except _Overdue as overdue:
            fate = overdue.fate
        except (EOFError, OSError):
            fate = "crashed"
        worker.end()
        if self._worker is worker:
            self._worker = _Worker(self._name)  # ready for the next one
        return fate


_WORDS: Final = {
    "crashed": "died",
    "late": "gave no answer long after its time limit",
    "killed": f"did not stop within {_CANCELLED_WITHIN * 1000:.0f} ms",
    "starting": "had not started when the solve was cancelled",
    "stuck": f"had not started within {STARTS_WITHIN:.0f} s",
}


class _Overdue(Exception):  # noqa: N818  # it says what is so
    """The worker has not answered in time."""

    def __init__(self, fate: str) -> None:
        super().__init__(fate)
        self.fate = fate


class _NotStarted(Exception):  # noqa: N818  # it says what is so
    """The solve was cancelled while the worker still started, which may go on."""


class _Worker:
    """The process and our end of the line to it."""

    def __init__(self, name: str) -> None:
        self._ready = False
        self._line, self._process = children.on_pipe("descheduler.optimiser.resident_child", name)

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def ask(self, task: Task, stop: Stop, *, late_after: float) -> Solution:
        """Return its answer.

        Raises:
            EOFError, OSError: it has died.
            _Overdue: it is late, or does not stop.
            _NotStarted: the solve was cancelled before it began.
        """
        self._await_start(stop)
        self._line.send(task)
        ends = time.monotonic() + _longest(task.options) + late_after
        while not self._line.poll(_POLL):
            if stop.is_set():
                return self._cancel(task)
            if time.monotonic() > ends:
                raise _Overdue("late")
        return self._receive()

    def _await_start(self, stop: Stop) -> None:
        """Wait for its first word: what it takes to import a solver is not taken from the first solve's time."""
        ends = time.monotonic() + STARTS_WITHIN
        while not self._ready:
            if self._line.poll(_POLL):
                self._ready = isinstance(self._line.recv(), Ready)
            elif stop.is_set():
                raise _NotStarted
            elif time.monotonic() > ends:
                raise _Overdue("stuck")

    def end(self) -> None:
        """End the process at once; it keeps nothing that could be lost."""
        self._process.kill()
        self._process.wait()
        self._line.close()

    def _cancel(self, task: Task) -> Solution:
        self._line.send(Cancel(task.number))
        if not self._line.poll(_CANCELLED_WITHIN):
            raise _Overdue("killed")
        return self._receive()

    def _receive(self) -> Solution:
        answer: Solution = self._line.recv()
        return answer


def _longest(options: Options) -> float:
    """Return how many seconds a solve may take: a second of CP-SAT's own measure takes up to ten of the clock's."""
    return options.time_limit if options.deterministic is None else 10 * options.deterministic
