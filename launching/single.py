"""A single cycle of the descheduler, from its start to its end: how it ended, what it printed, what it logged."""

import json
from dataclasses import dataclass
from typing import Any, Final

from launching.launches import Launch

_PATIENCE: Final = 100.0
_TAIL: Final = 4_000


class CycleFailedError(RuntimeError):
    """A single cycle ended with an error; the text has its exit code and the end of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """A single cycle that has ended: its exit code, what it printed as JSON (empty: nothing), its whole log."""

    name: str
    code: int
    printed: dict[str, Any]
    log: str

    def checked(self) -> "Cycle":
        """Return itself if it ended in order.

        Raises:
            CycleFailedError: it did not.
        """
        if self.code:
            raise CycleFailedError(f"{self.name} ended with {self.code}:\n{self.log[-_TAIL:]}")
        return self


def cycle(launch: Launch, *, patience: float = _PATIENCE) -> Cycle:
    """Run one to its end and return how it went.

    Raises:
        subprocess.TimeoutExpired: it took longer than it may, and was ended.
    """
    output = launch.run.folder / f"{launch.name}.json"
    with launch.once(output) as program:
        code = program.wait_ended(patience)
        log = program.log.read_text(errors="replace")
    text = output.read_text()
    return Cycle(name=launch.name, code=code, printed=json.loads(text) if text else {}, log=log)
