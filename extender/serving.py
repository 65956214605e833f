"""gunicorn embedded: one worker process with threads, for one state; TLS or loopback; an orderly end. Routes nothing.

The service is made in the worker, after the fork. On SIGTERM the worker is first not ready and answers for a while,
as the Service's endpoints take a moment to follow; then it accepts nobody, and open connections are answered with
`Connection: close` and closed.
"""

import contextlib
import logging
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from types import FrameType
from typing import Any, Final, Protocol, cast

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger
from gunicorn.workers.gthread import TConn, ThreadWorker

_LOG = logging.getLogger(__name__)
# kube-scheduler's client closes idle connections after 90 s: ours must not be first, or a call meets a closed one.
KEEP_ALIVE: Final = 120
# Longer than kube-scheduler waits for an answer (5 s unless httpTimeout is set): whoever is slower has gone or is none.
_SLOWEST_CLIENT: Final = 6.0
_DRAIN: Final = 3.0
# From SIGTERM on, draining included; the ending of the background tasks comes after it, and all of it within 20 s.
_FINISH: Final = 16
_MEMORY: Final = Path("/dev/shm")  # noqa: S108  # gunicorn's heartbeat file; the root file system may be read-only


class Served(Protocol):
    """What is made in the worker: a WSGI application with a beginning and an end."""

    @property
    def app(self) -> Any:  # noqa: ANN401  # any WSGI application
        """Return the application."""
        ...

    def start(self) -> None:
        """Begin the background tasks."""
        ...

    def drain(self) -> None:
        """Stop being ready."""
        ...

    def stop(self) -> None:
        """End the background tasks."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where and how kube-scheduler's calls are received.

    With a certificate the listener speaks TLS, with `client_ca` to clients with a certificate of that authority only.
    The files are read again for each connection, so that a rotated certificate needs no restart.
    """

    host: str = "127.0.0.1"
    port: int = 8888
    certificate: Path | None = None
    key: Path | None = None
    client_ca: Path | None = None
    threads: int = 4

    def __post_init__(self) -> None:
        if self.certificate is None and not _is_loopback(self.host):
            raise ValueError(
                f"listening on {self.host} without a certificate; allowed is a loopback address, or --tls-certificate"
            )
        if (self.certificate is None) != (self.key is None) or (self.client_ca and self.certificate is None):
            raise ValueError("a certificate needs its key, and client certificates need both")
        self.check_tls()

    def check_tls(self) -> None:
        """Refuse files that no connection can be made with; with such ones every call is refused.

        Raises:
            ValueError: what was seen, and what is allowed.
        """
        if self.certificate is not None and self.key is not None:
            _load_tls(self.certificate, self.key, self.client_ca)

    def tls_trouble(self) -> str:
        """Say what is wrong with the files as they are now, after a rotation perhaps; nothing where they are fine."""
        try:
            self.check_tls()
        except ValueError as problem:
            return str(problem)
        return ""


def _load_tls(certificate: Path, key: Path, client_ca: Path | None) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, password="")  # an encrypted key would have us ask the terminal
    except OSError as problem:
        raise ValueError(
            f"{certificate} and {key}: {problem}; allowed is a PEM certificate and its own, unencrypted PEM key"
        ) from problem
    try:
        if client_ca is not None:
            context.load_verify_locations(client_ca)
    except OSError as problem:
        raise ValueError(f"{client_ca}: {problem}; allowed are PEM certificates") from problem


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Log(Logger):
    """Sends gunicorn's messages where all others go."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401  # gunicorn's Config has no types
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


class _Worker(ThreadWorker):
    """Drains before it ends, and lets no client keep a thread by being slow: a few of them would stop all calls."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # whatever gunicorn makes workers with
        super().__init__(*args, **kwargs)
        self._busy: dict[TConn, float] = {}

    def enqueue_req(self, conn: TConn) -> None:
        """Give a thread to a connection once it says something; gunicorn's own would wait five seconds in one."""
        if conn.initialized or conn.wait_for_data(0):
            super().enqueue_req(conn)
            return
        conn.sock.setblocking(False)
        conn.set_timeout()
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def handle(self, conn: TConn) -> bool:
        """Note since when a connection keeps its thread."""
        self._busy[conn] = time.monotonic()
        try:
            return super().handle(conn)
        finally:
            self._busy.pop(conn, None)

    def murder_pending(self) -> None:
        """Hang up on those that keep a thread for too long; the main thread comes by each second."""
        if not self.alive:
            for conn in self.pending_conns:
                conn.timeout = 0.0  # whoever has said nothing by the end is not waited for
        super().murder_pending()
        late = time.monotonic() - _SLOWEST_CLIENT
        for conn in [conn for conn, since in tuple(self._busy.items()) if since < late]:
            _LOG.warning("hanging up on %s: no whole request within %.0f s", conn.client, _SLOWEST_CLIENT)
            self._busy.pop(conn, None)
            # Below TLS, whose own goodbye would wait for the peer; the thread then reads the end and gives up.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(conn.sock, socket.SHUT_RDWR)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """On SIGTERM: be not ready at once, and begin to end a little later."""
        cast("Server", self.app).drain()
        timer = threading.Timer(_DRAIN, lambda: super(_Worker, self).handle_exit(sig, frame))
        timer.daemon = True
        timer.start()


class Server(BaseApplication):
    """Runs until SIGTERM; `make` is called in the worker process."""

    def __init__(self, listening: Listening, make: Callable[[], Served]) -> None:
        self._listening = listening
        self._make = make
        self._served: Served | None = None
        super().__init__()

    def run(self) -> None:
        """Serve. A worker that cannot begin is an internal error; gunicorn's own exit codes for it are taken here."""
        parent = os.getpid()
        try:
            super().run()
        except SystemExit as end:
            # The worker passes here too, and tells its parent by these very codes why it ended.
            if os.getpid() == parent and end.code in {Arbiter.WORKER_BOOT_ERROR, Arbiter.APP_LOAD_ERROR}:
                raise SystemExit(1) from end
            raise

    def load_config(self) -> None:
        """Tell gunicorn everything; it reads no file and no environment for us."""
        for name, value in _settings(self._listening).items():
            self.cfg.set(name, value)
        self.cfg.set("worker_exit", lambda _arbiter, _worker: self._end())

    def load(self) -> Any:  # noqa: ANN401  # any WSGI application
        """Make and start what is served."""
        self._served = self._make()
        self._served.start()
        return self._served.app

    def drain(self) -> None:
        """Take what is served out of readiness."""
        if self._served is not None:
            self._served.drain()

    def _end(self) -> None:
        if self._served is not None:
            self._served.stop()


def _settings(listening: Listening) -> dict[str, Any]:
    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    settings: dict[str, Any] = {
        "bind": f"{host}:{listening.port}",
        "workers": 1,  # one process holds one state
        "worker_class": _Worker,
        "threads": listening.threads,
        "keepalive": KEEP_ALIVE,
        "graceful_timeout": _FINISH,
        "timeout": 60,
        "logger_class": _Log,
        "worker_tmp_dir": str(_MEMORY) if _MEMORY.is_dir() else None,
        "control_socket_disable": True,
    }
    if listening.certificate is not None:
        settings |= {"certfile": str(listening.certificate), "keyfile": str(listening.key)}
    if listening.client_ca is not None:
        settings |= {"ca_certs": str(listening.client_ca), "cert_reqs": ssl.CERT_REQUIRED}
    return settings
