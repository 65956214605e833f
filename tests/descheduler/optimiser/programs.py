"""External solvers for tests: small Python programs, written where a test wants them."""

import sys
import textwrap
from pathlib import Path


def write_program(folder: Path, body: str) -> tuple[str, ...]:
    """Return the command of a program with this body; `request` and `answer(**fields)` are there."""
    path = folder / "solver.py"
    path.write_text(_HEAD + textwrap.dedent(body))
    return (sys.executable, "-I", "-S", str(path))


_HEAD = """\
import json, os, signal, subprocess, sys, time
request = json.load(sys.stdin)
def answer(**fields):
    print(json.dumps({"version": 1} | fields))
"""
