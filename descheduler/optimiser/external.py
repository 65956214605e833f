"""A solver that is a program of somebody else: JSON in, JSON out, ended when late; its answer is trusted in nothing.

The documents are described in docs/reference/solver.md.
"""

import logging
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import IO, Final

from descheduler.optimiser import concluding, documents
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Solution, Stop, doing_nothing

_LOG = logging.getLogger(__name__)
_LOOK_EVERY: Final = 0.02  # a cancelled solve must end within 100 ms
_MOST_BYTES: Final = 64 * 1024 * 1024  # a place takes a few bytes: enough for millions of pods
_LONGEST_WORDS: Final = 500  # of what it wrote to its standard error


class ExternalError(Exception):
    """The program gave no usable answer; `kind` is what to count it under."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class CommandSolver:
    """Asks a program: it reads a request from its standard input and writes an answer to its standard output."""

    name = "command"

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:
        """Return the program's plan, or doing nothing with the trouble it had."""
        began = time.monotonic()
        try:
            answer = self.ask(problem, options, stop)
        except ExternalError as failed:
            _LOG.warning("external solver: %s", failed, extra={"command": self._command[0], "kind": failed.kind})
            findings = Findings(solver=self.name, counts={failed.kind: 1}, troubles=(str(failed),))
            return concluding.conclude(problem, doing_nothing(problem), options, findings)
        findings = Findings(
            solver=self.name,
            proven=answer.proven,
            timings={"command": time.monotonic() - began},
            counts={"answered": 1},
        )
        return concluding.conclude(problem, answer.assignment, options, findings)

    def ask(self, problem: Problem, options: Options, stop: Stop) -> documents.Answer:
        """Return what the program answers, or raise `ExternalError`."""
        request = documents.encode(documents.Request(problem=problem, options=options))
        with ExitStack() as files:
            # Files, not pipes: neither side can block the other, and the size of the answer can be looked at. They are
            # in memory, as a folder may be read-only, full, or so small that the node ends us for filling it.
            given, answered, words = (files.enter_context(_in_memory()) for _ in range(3))
            given.write(request)
            given.seek(0)
            self._run(given, answered, words, deadline=_Deadline(options.time_limit, stop))
            answered.seek(0)
            content = answered.read()
        try:
            return documents.decode_answer(content, problem)
        except documents.MalformedError as malformed:
            raise ExternalError("malformed", f"{self._command[0]}: {malformed}") from malformed

    def _run(self, given: IO[bytes], answered: IO[bytes], words: IO[bytes], *, deadline: "_Deadline") -> None:
        try:
            # A session of its own, so that whatever it starts can be ended with it. Not through a shell.
            child = subprocess.Popen(  # noqa: S603 - the command is the operator's own policy
                self._command, stdin=given, stdout=answered, stderr=words, start_new_session=True
            )
        except (OSError, ValueError) as failed:  # ValueError: a command with a null character
            raise ExternalError("failed", f"{self._command[0]}: could not be started: {failed}") from failed
        with child:
            try:
                ended = _wait(child, (answered, words), deadline)
            finally:
                _end_group(child)
        if not ended:
            raise ExternalError(*deadline.reason(self._command[0], _largest(answered, words)))
        if child.returncode != 0:
            raise ExternalError(
                "failed",
                f"{self._command[0]}: seen exit code {child.returncode}; allowed is 0. {_last(words)}".rstrip(),
            )


class _Deadline:
    """When to stop waiting: the time limit, or somebody's wish."""

    def __init__(self, limit: float, stop: Stop) -> None:
        self._limit = limit
        self._until = time.monotonic() + limit
        self._stop = stop

    def over(self) -> bool:
        return self._stop.is_set() or time.monotonic() >= self._until

    def reason(self, program: str, size: int) -> tuple[str, str]:
        """Return what to count an unfinished run under, and why it was ended."""
        if size > _MOST_BYTES:
            return "malformed", f"{program}: seen more than {_MOST_BYTES} bytes of output; allowed are as many"
        if self._stop.is_set():
            return "cancelled", f"{program}: ended, as the solve was cancelled"
        return "late", f"{program}: seen no end after {self._limit:g} s; allowed are {self._limit:g} s"


def _wait(child: "subprocess.Popen[bytes]", output: Sequence[IO[bytes]], deadline: _Deadline) -> bool:
    """Return whether the program ended by itself in time; it stays unreaped, so that its group keeps its number."""
    while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if deadline.over() or _largest(*output) > _MOST_BYTES:
            return False
        time.sleep(_LOOK_EVERY)
    return _largest(*output) <= _MOST_BYTES


def _end_group(child: "subprocess.Popen[bytes]") -> None:
    """End the program and all it started; those that are gone already are no trouble."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def _in_memory() -> IO[bytes]:
    return os.fdopen(os.memfd_create("bayplan-solver"), "w+b")


def _largest(*files: IO[bytes]) -> int:
    return max(map(_size, files))


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _last(words: IO[bytes]) -> str:
    words.seek(max(0, _size(words) - _LONGEST_WORDS))
    text = words.read().decode(errors="replace").strip()
    return f"It said: {text}" if text else ""
