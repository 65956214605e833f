"""`bayplan descheduler` that stops or dies at a chosen moment of its first eviction: `python -m tests.e2e.interrupted`.

The first argument says when and how (`kill-before`, `kill-after`, `stop-before`), the rest is the command line. The
signal is real: the kernel ends or stops the process in the middle of its work.
"""

import functools
import os
import signal
import sys
from pathlib import Path
from typing import Any

from bayplan import cli, descheduler
from sources.kube.api import Answer
from sources.kube.client import KubeClient


class Interrupted(KubeClient):
    """The API client, with a signal to ourselves before or after the first eviction call."""

    def __init__(self, kubeconfig: Path | None, moment: str) -> None:
        super().__init__(kubeconfig)
        how, _, when = moment.partition("-")
        self._signal = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}[how]
        self._when = when

    def request(self, method: str, path: str, **options: Any) -> Answer:
        """Make the call, and be interrupted where it is an eviction."""
        ours = path.endswith("/eviction")
        self._interrupt("before", ours)
        answer = super().request(method, path, **options)
        self._interrupt("after", ours)
        return answer

    def _interrupt(self, when: str, ours: object) -> None:
        if ours and when == self._when:
            self._when = ""
            os.kill(os.getpid(), self._signal)


def main(moment: str, arguments: list[str]) -> None:
    """Run the command with the interrupted client."""
    # the command looks its way to the API up by this name; there is no other way into a process that starts by itself
    vars(descheduler)["connect"] = functools.partial(Interrupted, moment=moment)
    cli.main(arguments)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
