"""An external solver that a test holds back: `python -m tests.e2e.slow_solver FOLDER [--unproven]`.

Each run writes a file with its process id into FOLDER and waits for a file `go` there. Then it answers with Bayplan's
own solver, as proven or, on request, not.
"""

import os
import sys
import threading
import time
from pathlib import Path

from descheduler.optimiser import documents
from descheduler.optimiser.solving import BayplanSolver


def main(folder: Path, *, proven: bool) -> None:
    """Answer one request."""
    request = documents.decode_request(sys.stdin.buffer.read())
    (folder / f"run-{time.time_ns()}").write_text(str(os.getpid()))
    while not (folder / "go").exists():
        time.sleep(0.01)
    solution = BayplanSolver().solve(request.problem, request.options, threading.Event())
    answer = documents.Answer(assignment=solution.assignment, proven=proven)
    sys.stdout.buffer.write(documents.encode(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]), proven="--unproven" not in sys.argv)
