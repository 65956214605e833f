"""The worker process of `resident`: solves one problem after the other; decides nothing.

Run as `python -m descheduler.optimiser.resident_child DESCRIPTOR SOLVER`. A solver that raises ends the process, with
its traceback on standard error: the parent sees the line break, and a fresh one is not harmed by what went wrong.
"""

import signal
import sys
import threading
from multiprocessing.connection import Connection
from typing import Final

from descheduler.optimiser.opening import in_process
from descheduler.optimiser.resident import Cancel, Ready, Task
from descheduler.optimiser.solution import Solution, Solver

_POLL: Final = 0.005


def serve(line: Connection, solver: Solver) -> None:
    """Answer until the parent is gone, or a solver raised."""
    try:
        line.send(Ready())
        while True:
            message = line.recv()
            if isinstance(message, Cancel):
                continue  # of a task that had ended when it was sent
            answer = _solve(message, line, solver)
            if answer is None:
                return
            line.send(answer)
    except (EOFError, OSError):
        return


def _solve(task: Task, line: Connection, solver: Solver) -> Solution | None:
    """Return the solver's answer, None where it raised; the line is listened to meanwhile."""
    stop = threading.Event()
    answers: list[Solution] = []

    def work() -> None:
        answers.append(solver.solve(task.problem, task.options, stop))

    worker = threading.Thread(target=work, name="solve", daemon=True)
    worker.start()
    while worker.is_alive():
        if line.poll(_POLL) and line.recv() == Cancel(task.number):
            stop.set()
    return answers[0] if answers else None


def main() -> None:
    """Serve on the descriptor given, with the solver named."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle: it closes our line
    serve(Connection(int(sys.argv[1])), in_process(sys.argv[2]))


if __name__ == "__main__":
    main()
