"""Child processes of ours: this interpreter on a module of ours, with a line to it; knows nothing of what they do."""

import os
import subprocess
import sys
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Final, TypeAlias

import sources

Child: TypeAlias = "subprocess.Popen[bytes]"
_ROOT: Final = Path(sources.__file__).resolve().parent.parent
_GRACE: Final = 1.0  # seconds for what the end of its line leaves to be done (arbitrary)


def on_pipe(module: str, *arguments: str) -> tuple[Connection, Child]:
    """Start a module whose first argument is the number of its end of the line; return our end and the process."""
    ours, theirs = Pipe()
    with theirs:
        descriptor = theirs.fileno()
        return ours, subprocess.Popen(  # noqa: S603  # ourselves, with a number and words of our own
            [sys.executable, "-m", module, str(descriptor), *arguments],
            stdin=subprocess.DEVNULL,
            pass_fds=[descriptor],
            env=_environment(),
        )


def on_standard_streams(module: str) -> Child:
    """Start a module that reads its standard input and writes its standard output."""
    return subprocess.Popen(  # noqa: S603  # ourselves
        [sys.executable, "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment()
    )


def end(child: Child) -> None:
    """Wait for a child whose line was closed; if that is not enough it is killed."""
    try:
        child.wait(_GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _environment() -> dict[str, str]:
    """Return ours, and where our packages are: a child must find them wherever this process was started."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")])}
