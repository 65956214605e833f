"""A real HTTP server on the loopback interface that gives scripted answers and records what it was asked."""

import json
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import parse_qsl, urlsplit

TLS = Path(__file__).parent / "tls"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer. `body` that is no bytes is sent as JSON; `lines` is sent as a watch, in chunks.

    `wait` seconds pass before the first byte; with `drip`, one byte of the body follows each so many seconds, and
    with `drip_head` the head comes that way too. `cut` ends the connection after so many bytes of the body.
    """

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[Any, ...] | None = None
    hold: float = 0.0
    wait: float = 0.0
    drip: float = 0.0
    drip_head: bool = False
    cut: int | None = None
    slam: bool = False


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


SLOW: Final = {
    "silent": Reply(wait=5),
    "drips the body": Reply(body=b"x" * 1000, drip=0.05),
    "drips the head": Reply(drip=0.05, drip_head=True),
}
"""Answers that take 5 s and more."""
SLOWEST: Final = 3.0
"""Seconds within which a call of 0.3 s ends on a busy machine, too, unless it waits for such an answer."""


class HttpFake:
    """Scripted answers by path: they are given in order, the last one again and again."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.url = ""
        self.stopping = threading.Event()
        self._replies: dict[str, list[Reply]] = {}
        self._lock = threading.Lock()

    def script(self, path: str, *replies: Reply) -> None:
        """Set the answers to a path."""
        with self._lock:
            self._replies[path] = list(replies)

    def next_reply(self, asked: Asked) -> Reply:
        """Record a request and return what it gets."""
        with self._lock:
            self.asked.append(asked)
            waiting = self._replies.get(asked.path, [])
            if not waiting:
                return Reply(status=404, body={"kind": "Status", "reason": "NotFound", "message": "not scripted"})
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        fake = cast("_Server", self.server).fake
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        query = dict(parse_qsl(url.query))
        asked = Asked(method=self.command, path=url.path, query=query, headers=dict(self.headers), body=body)
        reply = fake.next_reply(asked)
        with suppress(OSError):  # the client hung up: often just what is being tested
            self._give(reply, fake.stopping)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815  # the server looks for these names

    def _give(self, reply: Reply, stopping: threading.Event) -> None:
        stopping.wait(reply.wait)
        if reply.slam:
            self.close_connection = True
            return
        if reply.lines is not None:
            self._give_lines(reply, stopping)
            return
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        if reply.drip_head:
            self._drip(b"".join(self._headers_buffer) + b"\r\n", reply.drip, stopping)  # type: ignore[attr-defined]
            return
        self.end_headers()
        if reply.drip:
            self._drip(body, reply.drip, stopping)
        else:
            self.wfile.write(body[: reply.cut])
        self.close_connection = reply.cut is not None

    def _drip(self, body: bytes, pause: float, stopping: threading.Event) -> None:
        for at in range(len(body)):
            if stopping.wait(pause):
                return
            self.wfile.write(body[at : at + 1])
            self.wfile.flush()

    def _give_lines(self, reply: Reply, stopping: threading.Event) -> None:
        self.send_response(reply.status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in reply.lines or ():
            text = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
            self.wfile.flush()
        stopping.wait(reply.hold)
        if reply.cut is None:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing: the tests look at what was recorded."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: HttpFake

    def handle_error(self, *_: object) -> None:
        """A failed handshake or a broken connection is what some tests are about."""


@contextmanager
def serve(fake: HttpFake, *, tls: bool = False) -> Iterator[HttpFake]:
    """Run the server until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.fake = fake
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS / "server.pem", TLS / "server-key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    fake.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        fake.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


def took(began: float) -> float:
    """Return the seconds since a moment of `time.monotonic`."""
    return time.monotonic() - began
