"""A small exporter: serves text expositions that a test, the demonstration or an HTTP PUT sets at run time.

`GET /metrics` gives all of them in one text (labels tell the nodes apart), `GET /metrics/<target>` one; `PUT` and
`DELETE` on the latter change it. It invents no figures: those come from `figures`, or from recordings.
"""

import argparse
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

# An exposition, or what makes it for the time of the scrape (Unix seconds).
Source = str | Callable[[float], str]
_PREFIX = "/metrics"
_MAX_BODY = 64 * 2**20


class Exporter:
    """A loopback HTTP server with one exposition a target; a context manager."""

    def __init__(self, port: int = 0) -> None:
        self._sources: dict[str, Source] = {}
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.exporter = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="exporter")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        """Host and port, as a scrape configuration wants them."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def put(self, target: str, source: Source) -> None:
        """Set what a target exposes."""
        with self._lock:
            self._sources[target] = source

    def remove(self, target: str) -> None:
        """Let a target disappear: its own path answers 404, its series leave the common text."""
        with self._lock:
            self._sources.pop(target, None)

    def text(self, target: str | None = None) -> str | None:
        """Return what one target exposes now, or all of them together; None for an unknown one."""
        with self._lock:
            chosen = list(self._sources.values()) if target is None else [self._sources.get(target)]
        if None in chosen:
            return None
        at = time.time()
        parts = [source if isinstance(source, str) else source(at) for source in chosen if source is not None]
        return "".join(part if part.endswith("\n") or not part else part + "\n" for part in parts)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    exporter: Exporter


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        known = self.path == _PREFIX or self._target() is not None
        text = self.server.exporter.text(self._target()) if known else None
        if text is None:
            self._answer(HTTPStatus.NOT_FOUND, f"nothing is exposed at {self.path}\n")
        else:
            self._answer(HTTPStatus.OK, text)

    def do_PUT(self) -> None:
        target, size = self._target(), int(self.headers.get("Content-Length", "0"))
        if target is None or not 0 <= size <= _MAX_BODY:
            self.close_connection = True
            self._answer(HTTPStatus.BAD_REQUEST, f"PUT wants {_PREFIX}/<target> and at most {_MAX_BODY} bytes\n")
            return
        self.server.exporter.put(target, self.rfile.read(size).decode())
        self._answer(HTTPStatus.OK, "")

    def do_DELETE(self) -> None:
        target = self._target()
        if target is not None:
            self.server.exporter.remove(target)
        self._answer(HTTPStatus.OK, "")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing: a scrape a second would fill every log."""

    def _target(self) -> str | None:
        return self.path.removeprefix(_PREFIX + "/") if self.path.startswith(_PREFIX + "/") else None

    def _answer(self, status: HTTPStatus, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    with Exporter(parser.parse_args().port) as exporter:
        print(f"http://{exporter.address}{_PREFIX}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
