"""The descheduler's own small server: `/metrics`, `/healthz`, `/readyz`; it answers GET and changes nothing."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from prometheus_client import CONTENT_TYPE_LATEST

_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What the server shows: the exposition, and readiness with its detail (ready or not, and why)."""

    metrics: Callable[[], bytes]
    readiness: Callable[[], tuple[bool, dict[str, Any]]]


class ProbeServer:
    """Listens on one port; `run` is to be driven by supervise()."""

    def __init__(self, pages: Pages, *, host: str, port: int) -> None:
        self._server = ThreadingHTTPServer((host, port), _handler(pages))
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        """Return the port that is listened on; differs from what was asked for only where that was 0."""
        return int(self._server.server_address[1])

    def run(self, stop: threading.Event) -> None:
        """Serve until `stop` is set, then close the port."""
        self._server.timeout = _POLL_SECONDS
        while not stop.is_set():
            self._server.handle_request()
        self._server.server_close()


def _handler(pages: Pages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers probes and scrapes."""

        timeout = 10.0  # a client that says nothing must not keep a thread

        def do_GET(self) -> None:  # the base class finds methods by this name
            """Answer one request."""
            match self.path.split("?")[0]:
                case "/healthz":
                    self._answer(HTTPStatus.OK, b"ok\n", "text/plain; charset=utf-8")
                case "/readyz":
                    ready, detail = pages.readiness()
                    status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
                    self._answer(status, json.dumps({"ready": ready, **detail}).encode(), "application/json")
                case "/metrics":
                    self._answer(HTTPStatus.OK, pages.metrics(), CONTENT_TYPE_LATEST)
                case _:
                    text = b"allowed are /healthz, /readyz and /metrics\n"
                    self._answer(HTTPStatus.NOT_FOUND, text, "text/plain; charset=utf-8")

        def _answer(self, status: HTTPStatus, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's own name
            """Say nothing: a probe every few seconds would bury the decisions."""

    return Handler
