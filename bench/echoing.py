"""The other reference: Flask and orjson that decode a request and echo it, the least that Python can do."""

from typing import Any

import orjson
from flask import Flask, Response, request


def create_app() -> Flask:
    """Return the application."""
    app = Flask("bench-echo", static_folder=None)

    @app.post("/v1/filter")
    def echo_filter() -> Response:
        names = orjson.loads(request.get_data())["NodeNames"]
        empty: dict[str, str] = {}
        return _json(
            {"Nodes": None, "NodeNames": names, "FailedNodes": {}, "FailedAndUnresolvableNodes": empty, "Error": ""}
        )

    @app.post("/v1/prioritize")
    def echo_prioritize() -> Response:
        names = orjson.loads(request.get_data())["NodeNames"]
        return _json([{"Host": name, "Score": 0} for name in names])

    @app.post("/v1/preempt")
    def echo_preempt() -> Response:
        return _json({"NodeNameToMetaVictims": orjson.loads(request.get_data())["NodeNameToMetaVictims"]})

    @app.get("/healthz")
    def healthz() -> Response:
        return _json({"ok": True})

    return app


def _json(body: Any) -> Response:  # noqa: ANN401  # JSON
    return Response(orjson.dumps(body), mimetype="application/json")
