"""`bayplan descheduler` that stops or dies at a chosen moment of its work: `python -m tests.e2e.interrupted`.

The first argument says how and when: `kill-before`, `kill-after`, `stop-before`, `stop-after` its first eviction, its
second (`stop-before:2`), or the write that gives a plan a phase (`kill-after:Installing`). The rest is the command
line. The signal is real: the kernel ends or stops the process in the middle of its work.
"""

import functools
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from bayplan import cli, descheduler
from sources.kube.api import Answer
from sources.kube.client import KubeClient

# How a test starts this in the place of the command `bayplan`.
INTERRUPTED = (sys.executable, "-m", "tests.e2e.interrupted")
# Another thread may take the signal, and this one would go on until the whole process has stopped.
_TAKES_EFFECT = 0.1


class Interrupted(KubeClient):
    """The API client, with a signal to ourselves before or after the first call of one kind."""

    def __init__(self, kubeconfig: Path | None, moment: str) -> None:
        super().__init__(kubeconfig)
        words, _, what = moment.partition(":")
        how, _, self._when = words.partition("-")
        self._phase = "" if what.isdigit() else what
        self._calls = int(what) if what.isdigit() else 1
        self._signal = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}[how]

    def request(self, method: str, path: str, **options: Any) -> Answer:
        """Make the call, and be interrupted where it is the one."""
        ours = self._writes_phase(path, options.get("body")) if self._phase else path.endswith("/eviction")
        self._calls -= ours
        self._interrupt("before", ours and self._calls == 0)
        answer = super().request(method, path, **options)
        self._interrupt("after", ours and self._calls == 0)
        return answer

    def _writes_phase(self, path: str, body: Any) -> bool:
        written = body.get("status") if isinstance(body, dict) and "/placementplans" in path else None
        return isinstance(written, dict) and written.get("phase") == self._phase

    def _interrupt(self, when: str, ours: object) -> None:
        if ours and when == self._when:
            self._when = ""
            os.kill(os.getpid(), self._signal)
            time.sleep(_TAKES_EFFECT)


def main(moment: str, arguments: list[str]) -> None:
    """Run the command with the interrupted client."""
    # the command looks its way to the API up by this name; there is no other way into a process that starts by itself
    vars(descheduler)["connect"] = functools.partial(Interrupted, moment=moment)
    cli.main(arguments)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
