"""An extender that refuses held pods and pins released ones: `python -m bench.holding.stub --port N`.

`POST /holding` with `true` or `false` switches; `GET /counts` says how often it was asked about which kind of pod.
"""

import argparse
import zlib
from collections import Counter
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import orjson

HELD: Final = "bayplan.test/held"
_REASON: Final = "node(s) held"


class Stub:
    """What it knows: whether it holds, and what it was asked."""

    def __init__(self) -> None:
        self.holding = True
        self.counts: Counter[str] = Counter()

    def filter(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return kube-scheduler's answer: no node for a held pod, one for a released one, all for others."""
        names: list[str] = asked["NodeNames"]
        held = HELD in (asked["Pod"]["metadata"].get("labels") or {})
        self.counts["held" if held else "other"] += 1
        passed = names
        if held:
            passed = [] if self.holding else [name for name in names if name == pin(asked["Pod"], names)]
        refused = {name: _REASON for name in names if name not in passed}
        return {"NodeNames": passed, "FailedNodes": {}, "FailedAndUnresolvableNodes": refused, "Error": ""}


def pin(pod: dict[str, Any], names: list[str]) -> str:
    """Return the node that a released pod belongs to."""
    return sorted(names)[zlib.crc32(pod["metadata"]["name"].encode()) % len(names)]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # kube-scheduler keeps its connection
    disable_nagle_algorithm = True
    wbufsize = 1 << 16  # head and body leave in one packet: two would wait for an acknowledgement
    stub = Stub()

    def do_GET(self) -> None:
        self._answer(dict(self.stub.counts))

    def do_POST(self) -> None:
        body = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/holding":
            self.stub.holding = body
            self._answer({})
        elif self.path.endswith("/filter"):
            self._answer(self.stub.filter(body))
        elif self.path.endswith("/prioritize"):
            self._answer([{"Host": name, "Score": 0} for name in body["NodeNames"]])
        else:
            self._answer({"NodeNameToMetaVictims": {}})

    def log_message(self, *_: object) -> None:
        """Say nothing: a line a call would be part of what is measured."""

    def _answer(self, body: object) -> None:
        data = orjson.dumps(body)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="python -m bench.holding.stub", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), _Handler).serve_forever()


if __name__ == "__main__":
    main()
