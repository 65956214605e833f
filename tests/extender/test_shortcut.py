"""Which requests take the short way, and that it reads no further than the body."""

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest

from extender.shortcut import Shortcut

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

LONGEST = 10


def the_long_way(_environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    start_response("404 Not Found", [])
    return [b"long"]


def ask(body: bytes = b"{}", **changes: Any) -> tuple[str, list[tuple[str, str]], bytes]:
    """Return status, headers and body of the answer to a POST to /v1/filter, with parts of its environment changed."""
    shortcut = Shortcut(the_long_way, {"/v1/filter": "filter"}, lambda verb, given: verb.encode() + given, LONGEST)
    environ = {
        "PATH_INFO": "/v1/filter",
        "REQUEST_METHOD": "POST",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body + b"the next request"),
    }
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], _problem: object = None) -> Any:
        started.append((status, headers))

    parts = b"".join(shortcut(environ | changes, start))
    return *started[0], parts


def test_a_call_of_a_verb_is_answered_with_its_length() -> None:
    status, headers, body = ask(b"{}")

    assert (status, body) == ("200 OK", b"filter{}")
    assert headers == [("Content-Type", "application/json"), ("Content-Length", "8")]


@pytest.mark.parametrize(
    "changes",
    [
        {"PATH_INFO": "/v1/bind"},
        {"REQUEST_METHOD": "GET"},
        {"CONTENT_LENGTH": ""},
        {"CONTENT_LENGTH": "-1"},
        {"CONTENT_LENGTH": str(LONGEST + 1)},
    ],
    ids=lambda changes: " ".join(f"{key}={value}" for key, value in changes.items()),
)
def test_everything_else_goes_the_long_way(changes: dict[str, str]) -> None:
    assert ask(b"{}", **changes) == ("404 Not Found", [], b"long")


def test_a_body_of_unknown_length_goes_the_long_way() -> None:
    body = io.BytesIO(b"{}")
    environ = {"PATH_INFO": "/v1/filter", "REQUEST_METHOD": "POST", "wsgi.input": body}
    shortcut = Shortcut(the_long_way, {"/v1/filter": "filter"}, lambda _verb, _given: b"short", LONGEST)

    assert [*shortcut(environ, lambda *_: lambda _data: None)] == [b"long"]
    assert body.tell() == 0
