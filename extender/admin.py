"""The second listener: probes, metrics and explanations, for people and machines that are not kube-scheduler.

A small server thread of the same process: gunicorn would put its TLS and its two or three threads before a probe.
"""

import logging
import re
import threading
from collections.abc import Callable
from typing import Any, Final

import orjson
from flask import Flask, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from extender.readiness import Readiness

_LOG = logging.getLogger(__name__)
_SLOWEST_CLIENT: Final = 10.0
# They become part of a path that the API server is asked for with our rights: nothing that could lead elsewhere.
_NAME: Final = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?")
Explain = Callable[[str, str], dict[str, Any] | None]


def create_admin_app(readiness: Readiness, registry: CollectorRegistry, explain: Explain) -> Flask:
    """Return the application. `explain` takes namespace and name and gives None where there is no such pod."""
    app = Flask("bayplan-extender-admin", static_folder=None)

    @app.get("/healthz")
    def healthz() -> Response:
        """Answer as long as the process does; it says nothing of readiness."""
        return _json({"ok": True})

    @app.get("/readyz")
    def readyz() -> Response:
        """Tell whether this replica may be asked, with everything that is wrong."""
        report = readiness.report()
        return _json(report, status=200 if report["ready"] else 503)

    @app.get("/metrics")
    def metrics() -> Response:
        """Give the metrics in Prometheus' text format."""
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    @app.get("/explain")
    def explanation() -> Response:
        """Give what filter and prioritize would say of a pod, per node, and why."""
        pod = request.args.get("pod", "")
        namespace, _, name = pod.partition("/")
        if not _NAME.fullmatch(namespace) or not _NAME.fullmatch(name):
            return _json({"error": f"pod={pod!r} names no pod; allowed is pod=<namespace>/<name>"}, status=400)
        found = explain(namespace, name)
        if found is None:
            return _json({"error": f"there is no pod {pod}, or it cannot be read now"}, status=404)
        return _json(found)

    @app.errorhandler(HTTPException)
    def refuse(problem: HTTPException) -> Response:
        """Answer everything else in JSON too."""
        return _json({"error": f"{problem.code} {problem.name}: {request.method} {request.path}"}, status=problem.code)

    return app


class _QuietHandler(WSGIRequestHandler):
    """Logs no probe, and gives up on clients that do not speak."""

    timeout = _SLOWEST_CLIENT

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log at debug level only: probes come every few seconds."""
        _LOG.debug("%s %s %s %s", self.command, self.path, code, size)


class AdminServer:
    """Serves the application in threads of its own."""

    def __init__(self, app: Flask, *, host: str, port: int) -> None:
        """Listen.

        Raises:
            OSError: the address cannot be listened on.
        """
        try:
            self._server: BaseWSGIServer = make_server(host, port, app, threaded=True, request_handler=_QuietHandler)
        except SystemExit as end:  # werkzeug's way; gunicorn would take it for a worker that ended, and begin again
            raise OSError(f"cannot listen on {host} port {port} for probes and metrics: {end.__context__}") from end

    @property
    def port(self) -> int:
        """Return the port that it listens on."""
        return self._server.port

    def run(self, stop: threading.Event) -> None:
        """Serve until told to stop."""
        serving = threading.Thread(target=self._server.serve_forever, name="admin-listener", daemon=True)
        serving.start()
        stop.wait()
        self._server.shutdown()
        serving.join()
        self._server.server_close()


def _json(body: object, *, status: int | None = 200) -> Response:
    return Response(orjson.dumps(body) + b"\n", status=status, mimetype="application/json")
