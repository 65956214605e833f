"""A solver that a test holds back, as seen by the test: its policy, its runs, and the word to go on."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.clusters import ControlPlane
from controlplane.waiting import wait_until


@dataclass(frozen=True)
class HeldSolver:
    """One folder for one solver; see `slow_solver`."""

    folder: Path
    proven: bool = True

    @property
    def plan(self) -> dict[str, Any]:
        """Return the fields of `plan` in a policy that uses it."""
        arguments = [str(self.folder), *([] if self.proven else ["--unproven"])]
        return {"solver": "command", "command": [sys.executable, "-m", "tests.e2e.slow_solver", *arguments]}

    def runs(self) -> list[int]:
        """Return the process ids of its runs so far, oldest first."""
        return [int(file.read_text()) for file in sorted(self.folder.glob("run-*")) if file.read_text()]

    def wait_runs(self, count: int = 1) -> int:
        """Wait until it was started so often; return the process id of that run."""
        return wait_until(lambda: self.runs()[count - 1 : count], f"run {count} of the solver", timeout=40)[0]

    def go(self) -> None:
        """Let every run answer, those to come at once."""
        (self.folder / "go").touch()

    def hold(self) -> None:
        """Let the runs to come wait again."""
        (self.folder / "go").unlink()


def held_solver(plane: ControlPlane, name: str, *, proven: bool = True) -> HeldSolver:
    """Return a solver that waits for `go`."""
    return HeldSolver(plane.run.subfolder(f"{name}-solver"), proven)
