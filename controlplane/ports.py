"""Free loopback ports, claimed so that runs side by side do not pick the same one."""

import contextlib
import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

# Below Linux' ephemeral range (32768 and up): no outgoing connection can take a port between the check and its use.
RANGE = range(20_000, 32_000)


class NoFreePortError(RuntimeError):
    """Every port that was tried is in use."""


class PortClaims:
    """The ports of one run by name; the claims are file locks, so they end with the process at the latest."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(tempfile.gettempdir()) / f"bayplan-ports-{os.getuid()}"
        self._folder.mkdir(exist_ok=True)
        self._locks: dict[int, TextIO] = {}
        self._named: dict[str, int] = {}

    def port(self, name: str) -> int:
        """Return the port of this name; the same one every time, so that a restarted program keeps its address."""
        if name not in self._named:
            self._named[name] = self._claim(random.sample(RANGE, k=200))
        return self._named[name]

    def close(self) -> None:
        """Give all ports back."""
        for lock in self._locks.values():
            lock.close()
        self._locks.clear()
        self._named.clear()

    def _claim(self, candidates: Iterable[int]) -> int:
        for port in candidates:
            if port not in self._locks and self._lock(port):
                if is_free(port):
                    return port
                self._locks.pop(port).close()
        raise NoFreePortError(f"no free port on 127.0.0.1 among 200 of {RANGE.start}-{RANGE.stop - 1}")

    def _lock(self, port: int) -> bool:
        with contextlib.ExitStack() as undo:
            file = undo.enter_context((self._folder / str(port)).open("w"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            undo.pop_all()
            self._locks[port] = file
            return True


def is_free(port: int) -> bool:
    """Return whether a server could listen on this loopback port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
