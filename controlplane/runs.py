"""What belongs to one run: its folder, its ports and its guard; knows none of the programs that use them."""

import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from controlplane.ports import PortClaims
from controlplane.processes import Command, Guard, Program


class Run:
    """A folder and ports of one run; two runs share nothing. The folder goes at the end unless it is to be kept."""

    def __init__(self, *, keep: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bayplan-run-"))
        self._ports = PortClaims()
        self._guard = Guard(*([] if keep else [self.folder]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill what is still running, give the ports back, remove the folder."""
        self._guard.close()
        self._ports.close()

    def port(self, name: str) -> int:
        """Return the loopback port of this name."""
        return self._ports.port(name)

    def subfolder(self, name: str) -> Path:
        """Return a folder below the run's, made if needed."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return folder

    def write(self, name: str, text: str) -> Path:
        """Write a file that only this user may read (most hold a token)."""
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(text)
        return path

    def program(self, command: Command) -> Program:
        """Return a program of this run, not started yet."""
        return Program(command, logs=self.subfolder("logs"), guard=self._guard)
