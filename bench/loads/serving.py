"""A small HTTP/1.1 server for the stand-ins: keep-alive, no Nagle, JSON; it knows no path."""

import threading
from collections.abc import Iterable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import orjson

_CLOSED: Final = (BrokenPipeError, ConnectionResetError)


class Handler(BaseHTTPRequestHandler):
    """Reads a request into `place`, `query` and `body`; subclasses respond, whatever the method."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one write
    place: str
    query: dict[str, str]
    body: bytes

    def parse_request(self) -> bool:
        """Read head and body."""
        if not super().parse_request():
            return False
        parts = urlsplit(self.path)
        self.place, self.query = parts.path, dict(parse_qsl(parts.query))
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return True

    def answer(self, body: bytes | dict[str, Any], *, status: int = HTTPStatus.OK) -> None:
        """Send one JSON answer."""
        raw = body if isinstance(body, bytes) else orjson.dumps(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def lines(self, parts: Iterable[bytes]) -> None:
        """Send lines as they come, until they end or the client goes."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for part in parts:
                self.wfile.write(b"%x\r\n%b\n\r\n" % (len(part) + 1, part))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except _CLOSED:
            self.close_connection = True

    def respond(self) -> None:
        """Answer one request."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Respond to a GET request."""
        self.respond()

    def do_POST(self) -> None:
        """Respond to a POST request."""
        self.respond()

    def do_PATCH(self) -> None:
        """Respond to a PATCH request."""
        self.respond()

    def do_DELETE(self) -> None:
        """Respond to a DELETE request."""
        self.respond()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def serve(handler: type[Handler], port: int) -> None:
    """Serve on loopback until the process is ended."""
    server = _Server(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, args=(0.5,), daemon=True).start()
    threading.Event().wait()
