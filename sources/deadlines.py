"""HTTP pools whose calls end in time, whatever the server does; knows no protocol above HTTP.

urllib3's timeouts bound the wait for the *next* byte: a server that drips one byte a second keeps a call open for
ever. Here the time that is left when the request is sent bounds head and body of the answer together. Looking up a
host name cannot be bounded; but if it took too long, nothing is sent any more.
"""

import io
import socket
import time
from http.client import HTTPResponse
from typing import Any, Final

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError


class NotConnectedError(HTTPError):
    """No connection, so nothing was sent. The cause is the library's own error."""


class _BoundedReader(io.RawIOBase):
    """Reads from a socket until a moment."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase, *, until: float) -> None:
        super().__init__()
        self._sock = sock
        self._raw = raw
        self._until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401  # typeshed's buffer type has no public name in 3.11
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer was not whole in time")
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedResponse(HTTPResponse):
    """An answer whose every byte must come within the timeout that the socket has when the request was sent."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # passed on as they are
        super().__init__(sock, *args, **kwargs)
        left = sock.gettimeout()
        if left is not None:
            self.fp = io.BufferedReader(_BoundedReader(sock, self.fp.detach(), until=time.monotonic() + left))


class _BoundedConnection(HTTPConnection):
    """Connects and sends within its timeout, or sends nothing."""

    response_class = _BoundedResponse

    def connect(self) -> None:
        began = time.monotonic()
        try:
            super().connect()
        except (OSError, HTTPError) as problem:
            raise NotConnectedError(str(problem)) from problem
        if self.timeout is not None:
            self._spend(began)

    def _spend(self, began: float) -> None:
        left = float(self.timeout or 0.0) - (time.monotonic() - began)
        if left <= 0:
            self.close()
            raise NotConnectedError(f"no connection to {self.host} within {self.timeout:g} s")
        self.sock.settimeout(left)


class _BoundedTlsConnection(_BoundedConnection, HTTPSConnection):
    """The same over TLS: `super().connect()` reaches the handshake."""


class _BoundedPool(HTTPConnectionPool):
    ConnectionCls = _BoundedConnection


class _BoundedTlsPool(HTTPSConnectionPool):
    ConnectionCls = _BoundedTlsConnection


_POOLS: Final = {"http": _BoundedPool, "https": _BoundedTlsPool}


def bound(manager: urllib3.PoolManager) -> urllib3.PoolManager:
    """Make every pool of a manager end its calls in time; returns the manager."""
    manager.pool_classes_by_scheme = _POOLS
    return manager
