"""A process that serves a tiny application under the shipped server, for tests of how it begins and ends.

Arguments: the port, the folder for the traces it leaves, then optionally certificate, key and client CA.
"""

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from extender.serving import Listening, Server


class Traced:
    """Writes a file for each step of its life, with the process id; answers the path it was asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._trace("made")

    def app(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer once the whole request is read; `/slow` takes two seconds."""
        environ["wsgi.input"].read()
        if environ["PATH_INFO"] == "/slow":
            time.sleep(2.0)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [environ["PATH_INFO"].encode()]

    def start(self) -> None:
        """Leave a trace; fail where a file tells so."""
        self._trace("started")
        if (self._folder / "fail").exists():
            raise RuntimeError("told to fail")

    def drain(self) -> None:
        """Leave a trace."""
        self._trace("drained")

    def stop(self) -> None:
        """Leave a trace."""
        self._trace("stopped")

    def _trace(self, step: str) -> None:
        (self._folder / step).write_text(str(time.monotonic()))


def main(arguments: list[str]) -> None:
    """Serve until SIGTERM."""
    port, folder, *files = arguments
    certificate, key, client_ca = ([Path(name) for name in files] + [None] * 3)[:3]
    listening = Listening(port=int(port), certificate=certificate, key=key, client_ca=client_ca)
    Server(listening, lambda: Traced(Path(folder))).run()


if __name__ == "__main__":
    main(sys.argv[1:])
