"""The Flask application that kube-scheduler calls; whatever comes in, JSON of the verb's shape goes out.

Importing it starts nothing: `create_app` takes everything that answers are made of.
"""

import logging
from typing import Final

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from extender import codec
from extender.judging import Judge
from extender.metrics import Fault, Meters
from extender.shortcut import Shortcut
from extender.verbs import VERBS, Call, Verb
from sources.clocks import Clock, SystemClock

_LOG = logging.getLogger(__name__)
LARGEST_BODY: Final = 8 * 2**20
_PREFIX: Final = "/v1/"


def create_app(judge: Judge, meters: Meters, *, clock: Clock | None = None) -> Flask:
    """Return the application with its three webhooks."""
    app = Flask("bayplan-extender", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY + 1  # a body in chunks is cut there, not refused: see below
    clock = clock or SystemClock()

    def serve(verb: str, body: bytes) -> bytes:
        began = clock.monotonic()
        reply = answer(VERBS[verb], Call(body, judge, meters), now=began)
        meters.seconds.labels(verb).observe(clock.monotonic() - began)
        return reply

    def view(verb: str) -> Response:
        body = request.get_data(cache=False)
        if len(body) > LARGEST_BODY:
            raise RequestEntityTooLarge
        return _json(serve(verb, body))

    for name in VERBS:
        app.add_url_rule(_PREFIX + name, name, view, methods=["POST"], defaults={"verb": name})
    ways = {_PREFIX + name: name for name in VERBS}
    app.wsgi_app = Shortcut(app.wsgi_app, ways, serve, LARGEST_BODY)  # type: ignore[method-assign]  # Flask's own way

    @app.errorhandler(HTTPException)
    def refuse(problem: HTTPException) -> Response:
        """Answer what is no call of kube-scheduler's (or too large to be read) with its status and the right shape."""
        cause = f"{problem.code} {problem.name}: {request.method} {request.path}"
        verb = VERBS.get(request.path.removeprefix(_PREFIX))
        if verb is None:
            return _json(codec.error_reply(cause), status=problem.code)
        if isinstance(problem, RequestEntityTooLarge):
            meters.fault(verb.name, Fault.TOO_LARGE)
        return _json(verb.refuse(cause), status=problem.code)

    return app


def answer(verb: Verb, call: Call, *, now: float) -> bytes:
    """Answer one call; the request boundary, behind which nothing fails. `now` is monotonic."""
    try:
        return verb.answer(call)
    except codec.RequestError as problem:
        call.meters.fault(verb.name, Fault.MALFORMED)
        return verb.refuse(str(problem))
    except Exception as problem:  # noqa: BLE001  # the boundary of every request: scheduling must not stop at an error of ours
        if call.meters.due(f"{verb.name}: {type(problem).__name__}", now=now):  # each call may fail: hundreds a second
            _LOG.exception(
                "a %s call failed, it is answered as if nothing were known; the next minute's are only counted",
                verb.name,
            )
        call.meters.fault(verb.name, Fault.INTERNAL)
        return verb.give_up(call.body)


def _json(body: bytes, *, status: int | None = 200) -> Response:
    return Response(body, status=status, mimetype="application/json")
