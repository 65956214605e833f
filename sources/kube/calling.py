"""One HTTP exchange with the API server, and urllib3's exceptions turned into ours.

It takes a pool and finished headers; it knows no credentials, repeats nothing and keeps nothing.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any, Final

import orjson
import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationValueError,
    NewConnectionError,
    ProtocolError,
)
from urllib3.exceptions import TimeoutError as LibraryTimeoutError

from sources.deadlines import NotConnectedError
from sources.garbage import COLLECTOR
from sources.kube.api import Answer
from sources.kube.errors import Interrupted, StatusError, TimedOut, Undecodable, Unreachable, status_error

_OK: Final = range(200, 300)
_NEVER_SENT: Final = (NotConnectedError, NewConnectionError, ConnectTimeoutError, LocationValueError)
_VENDOR_OBJECT: Final = re.compile(r"^\w+\(host='[^']*', port=\d+\): ")  # urllib3 names its connection; the URL says it
_NO_TLS: Final = "WRONG_VERSION_NUMBER"  # OpenSSL's word for an answer that does not begin as TLS does
_CHUNK: Final = 2**16


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, ready to be sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


def exchange(pool: urllib3.PoolManager, call: Call, timeout: urllib3.Timeout) -> Answer:
    """Send a request and read the whole answer.

    Raises:
        Unreachable, Unanswered, StatusError: see the tree.
    """
    with _own_errors(call):
        response = _send(pool, call, timeout)
        try:
            payload = response.read()
        except BaseException:
            response.close()
            raise
        response.release_conn()
    return _answer(response, payload)


def open_stream(pool: urllib3.PoolManager, call: Call, timeout: urllib3.Timeout) -> urllib3.BaseHTTPResponse:
    """Send a watch request and return the open answer; an error status is read and raised.

    Raises:
        Unreachable, Unanswered, StatusError: see the tree.
    """
    with _own_errors(call):
        response = _send(pool, call, timeout)
        if response.status in _OK:
            return response
        payload = response.read()
        response.release_conn()
    raise _refusal(response, payload)


def json_lines(response: urllib3.BaseHTTPResponse, call: Call) -> Iterator[dict[str, Any]]:
    """Yield each line of an open answer as it arrives, decoded.

    Raises:
        Unanswered: nothing came in time, or the connection broke.
        Undecodable: a line is no JSON object.
    """
    rest: list[bytes] = []
    for chunk in _chunks(response, call):
        *lines, last = chunk.split(b"\n")
        for line in lines:
            rest.append(line)
            whole = b"".join(rest)
            rest = []
            if whole.strip():
                yield _object(whole, call)
        rest.append(last)


def _chunks(response: urllib3.BaseHTTPResponse, call: Call) -> Iterator[bytes]:
    arriving = response.stream(_CHUNK)
    while True:
        with _own_errors(call):
            chunk = next(arriving, None)
        if chunk is None:
            return
        yield chunk


def _object(line: bytes, call: Call) -> dict[str, Any]:
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError as problem:
        raise Undecodable(f"{call.method} {call.url}: {line[:80]!r} is not JSON") from problem
    if not isinstance(event, dict):
        raise Undecodable(f"{call.method} {call.url}: {line[:80]!r} is not a JSON object")
    return event


def _send(pool: urllib3.PoolManager, call: Call, timeout: urllib3.Timeout) -> urllib3.BaseHTTPResponse:
    return pool.request(
        call.method,
        call.url,
        body=call.body,
        headers=call.headers,
        timeout=timeout,
        retries=False,
        redirect=False,
        preload_content=False,
    )


@contextmanager
def _own_errors(call: Call) -> Iterator[None]:
    place = f"{call.method} {call.url}"
    try:
        yield
    except _NEVER_SENT as problem:
        raise Unreachable(f"{place}: {_unmade(problem)}") from problem
    except (LibraryTimeoutError, TimeoutError) as problem:
        raise TimedOut(f"{place}: {problem}") from problem
    except (HTTPError, HTTPException, OSError) as problem:
        raise Interrupted(f"{place}: {_broken(call, problem)}") from problem


def _unmade(problem: Exception) -> str:
    """Say why there is no connection, and what is likely where the other side does not speak TLS."""
    if _NO_TLS in str(problem):
        return "the answer is no TLS; the server may speak http:// on this port"
    return _VENDOR_OBJECT.sub("", str(problem))


def _broken(call: Call, problem: Exception) -> str:
    """Say how an exchange broke, and what is likely where we do not speak TLS."""
    if not isinstance(problem, ProtocolError):
        return f"{type(problem).__name__}: {problem}"
    likely = "; the server may speak https:// on this port" if call.url.startswith("http://") else ""
    return f"the connection broke: {problem.args[-1]}{likely}"


def _answer(response: urllib3.BaseHTTPResponse, payload: bytes) -> Answer:
    if response.status not in _OK:
        raise _refusal(response, payload)
    return Answer(response.status, _json_object(payload), _http_date(response.headers.get("Date")))


def _refusal(response: urllib3.BaseHTTPResponse, payload: bytes) -> StatusError:
    body = _json_object(payload)
    if not body:
        body = {"message": payload[:200].decode(errors="replace").strip()}  # a proxy's page: enough to recognise it
    return status_error(response.status, body, retry_after=_delay(response.headers.get("Retry-After")))


def _json_object(payload: bytes) -> dict[str, Any]:
    try:
        with COLLECTOR.paused():  # a page of a list is 3 MB
            body = orjson.loads(payload)
    except orjson.JSONDecodeError:
        return {}
    return body if isinstance(body, dict) else {}


def _http_date(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except ValueError:
        return None


def _delay(text: str | None) -> float | None:
    """Read Retry-After; the API server writes whole seconds, a date (from a proxy) is left to our own back-off."""
    return float(text) if text and text.isascii() and text.isdigit() else None
