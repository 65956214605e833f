"""A small process that ends the programs of a run whose own process died without ending them (SIGKILL, a crash).

It reads `+ID` and `-ID` lines from its standard input and, at the end of that input, kills the processes still named
and removes the folder given as argument. It imports nothing of ours: it runs as a file of its own, isolated.
"""

import contextlib
import os
import shutil
import signal
import sys


def main() -> None:
    """Read until the other end is gone, then kill what is left, newest first."""
    started: dict[int, None] = {}
    for line in sys.stdin:
        if line.startswith("+"):
            started[int(line[1:])] = None
        else:
            started.pop(int(line[1:]), None)
    for process_id in reversed(started):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process_id, signal.SIGKILL)  # each leads a group of its own
    for folder in sys.argv[1:]:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
