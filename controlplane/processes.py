"""Programs of one run: started, watched, paused and ended by their own process id; knows nothing of Kubernetes."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from controlplane.waiting import wait_until

GUARD = Path(__file__).with_name("guarding.py")


class ProgramError(RuntimeError):
    """A program ended or did not become ready; the text has its command's name and the end of its log."""


class Guard:
    """The watcher that kills the programs of this process when it dies without having ended them.

    It removes the folders given, too, in every end: nobody else may be left to do it.
    """

    def __init__(self, *folders: Path) -> None:
        command = [sys.executable, "-I", str(GUARD), *map(str, folders)]
        # A terminal that interrupts or closes, or `timeout`, signals the whole group; the watcher has to outlive it.
        self._watcher = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True)

    def started(self, process_id: int) -> None:
        """Note a program that must not outlive this process."""
        self._tell(f"+{process_id}")

    def ended(self, process_id: int) -> None:
        """Forget a program that has ended; its id may soon belong to a stranger."""
        self._tell(f"-{process_id}")

    def close(self) -> None:
        """End the watcher, and with it the folders and whatever is still running."""
        if self._watcher.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._watcher.stdin.close()
        self._watcher.wait()

    def _tell(self, line: str) -> None:
        if self._watcher.stdin is not None:
            self._watcher.stdin.write(line + "\n")
            self._watcher.stdin.flush()


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How to start a program and how to see that it is ready; `environment` is added to ours.

    What it prints goes to its log, with its errors, or to the file `output`.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], object] | None = None
    within: float = 60.0
    output: Path | None = None


class Program:
    """One program: a context manager that starts it, and the switches that fault tests need.

    Its output goes to `<logs>/<name>.log`, appended over restarts.
    """

    def __init__(self, command: Command, *, logs: Path, guard: Guard) -> None:
        self.command = command
        self.log = logs / f"{command.name}.log"
        self._guard = guard
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
            self.wait_ready()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Its process id; an error if it was never started or has been ended."""
        return self._require().pid

    @property
    def running(self) -> bool:
        """Whether the process exists (a paused one does)."""
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """What it ended with by itself; None while it runs."""
        return None if self._process is None else self._process.poll()

    def start(self) -> None:
        """Start it, in a session of its own: a Ctrl-C in the terminal is for us, we end it in order."""
        if self.running:
            raise ProgramError(f"{self.command.name} is already running as process {self.pid}")
        environment = os.environ | dict(self.command.environment)
        with self.log.open("ab") as log, (self.command.output or self.log).open("ab") as output:
            self._process = subprocess.Popen(
                self.command.arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        self._guard.started(self._process.pid)

    def wait_ready(self) -> None:
        """Wait until it says that it is ready.

        Raises:
            ProgramError: it ended meanwhile, or was not ready in time.
        """
        probe = self.command.ready
        if probe is None:
            return
        wait_until(
            lambda: not self.running or probe(),
            f"{self.command.name} to be ready (its log ends: {self.log})",
            timeout=self.command.within,
            seen=self.tail,
        )
        if not self.running:
            raise ProgramError(f"{self.command.name} ended with {self.exit_code} before it was ready:\n{self.tail()}")

    def wait_ended(self, timeout: float = 20.0) -> int:
        """Return the exit code of a program that ends by itself."""
        process = self._require()
        code = process.wait(timeout)
        self._guard.ended(process.pid)
        return code

    def stop(self, grace: float = 10.0) -> None:
        """End it with SIGTERM, and with SIGKILL after the grace period."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()
            self._signal_all(signal.SIGCONT)  # a paused process handles no SIGTERM
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(grace)
        self.kill()

    def kill(self) -> None:
        """End it with SIGKILL, and what it started with it, as a container ends."""
        if self._process is None:
            return
        self._signal_all(signal.SIGKILL)
        self._process.wait()
        self._guard.ended(self._process.pid)
        self._process = None

    def pause(self) -> None:
        """Stop it and what it started with SIGSTOP: they keep their connections and answer nobody."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused program go on."""
        self._signal_all(signal.SIGCONT)

    def restart(self) -> None:
        """End it, start it again with the same arguments and wait until it is ready."""
        self.stop()
        self.start()
        self.wait_ready()

    def tail(self, lines: int = 20) -> str:
        """Return the end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""

    def resident_bytes(self) -> int:
        """Return its resident memory."""
        fields = Path(f"/proc/{self.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self) -> float:
        """Return the processor time that it has used so far."""
        after_name = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")

    def _signal_all(self, number: signal.Signals) -> None:
        """Signal its process group, which it leads: gunicorn answers in a child of the process that was started."""
        process = self._require()
        if process.poll() is None:
            os.killpg(process.pid, number)

    def _require(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ProgramError(f"{self.command.name} is not running: it was not started, or was stopped")
        return self._process
