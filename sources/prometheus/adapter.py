"""prometheus-api-client behind our own session: a deadline on each query, own errors, rotating credentials.

The client parses answers with `json`, which holds the interpreter for half a second over 150,000 series: our session
hands it answers that parse themselves with orjson. Its retries, which made 10 s of a timeout of 1 s, are off.
"""

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final

import orjson
import requests
import urllib3
from prometheus_api_client.exceptions import MetricValueConversionError, PrometheusApiClientException
from prometheus_api_client.prometheus_connect import PrometheusConnect
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase, HTTPBasicAuth
from urllib3.exceptions import HTTPError, InsecureRequestWarning
from urllib3.exceptions import TimeoutError as LibraryTimeoutError
from urllib3.util.retry import Retry

from policies.model.prometheus import Prometheus
from sources import deadlines
from sources.clocks import Clock, SystemClock
from sources.garbage import COLLECTOR
from sources.prometheus import matrices
from sources.prometheus.errors import AnswerMalformed, QueryError, QueryRefused, SourceTimedOut, SourceUnreachable
from sources.prometheus.series import Dated, Series, Span, matrix, vector

_LOG = logging.getLogger(__name__)
_NO_RETRY: Final = Retry(total=0, connect=0, read=False, redirect=False, status=0)
_CONNECTIONS: Final = 16
_DECODING: Final = threading.Lock()
_OK: Final = 200
# What the client raises over an answer of another shape: its own exceptions, and whatever its code stumbles over.
_SURPRISES: Final = (
    PrometheusApiClientException,
    MetricValueConversionError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
)
_TIMEOUTS: Final = (requests.Timeout, LibraryTimeoutError, TimeoutError)


class PrometheusSource:
    """Instant and range queries against one Prometheus; safe to use from several threads."""

    def __init__(self, settings: Prometheus, *, clock: Clock | None = None) -> None:
        self.url = _with_scheme(settings.url)
        self._seconds = settings.timeout
        self._session = _session(settings)
        self._client = PrometheusConnect(
            self.url,
            session=self._session,
            auth=_auth(settings),  # type: ignore[arg-type]  # handed to requests, which takes any AuthBase
            headers=dict(settings.headers),
            retry=_NO_RETRY,
        )
        self._transport = _Transport(clock or SystemClock())
        self._session.mount(self.url, self._transport)  # the client has mounted one of its own: ours goes over it

    @property
    def dated(self) -> Dated | None:
        """Return what the newest answer said of Prometheus' clock, None before the first that said anything."""
        return self._transport.dated

    def instant(self, query: str, at: float) -> list[Series]:
        """Evaluate a query at one moment.

        Raises:
            QueryError: see the tree.
        """
        exact = {"time": f"{at:.3f}", "timeout": f"{self._seconds:g}s"}
        return vector(self._asked(lambda patience: self._client.custom_query(query, exact, timeout=patience)))

    def range(self, query: str, span: Span) -> list[Series]:
        """Evaluate a query at every step of a span.

        Raises:
            QueryError: see the tree.
        """
        # The client rounds to whole seconds; what stands in its `params` goes over that, exactly.
        exact = {
            "start": f"{span.start:.3f}",
            "end": f"{span.end:.3f}",
            "step": f"{span.step:g}",
            "timeout": f"{self._seconds:g}s",
        }
        start, end = (datetime.fromtimestamp(moment, UTC) for moment in (span.start, span.end))
        return matrix(
            self._asked(
                lambda patience: self._client.custom_query_range(
                    query, start, end, exact["step"], exact, timeout=patience
                )
            )
        )

    def close(self) -> None:
        """Close every connection."""
        self._session.close()

    def _asked(self, ask: Callable[[Any], object]) -> object:
        try:
            return ask(urllib3.Timeout(total=self._seconds))
        except QueryError:
            raise
        except (requests.RequestException, HTTPError, OSError) as problem:
            raise self._transport_error(problem) from problem
        except _SURPRISES as problem:
            raise AnswerMalformed(f"{self.url} does not answer as a Prometheus: {_words(problem)}") from problem

    def _transport_error(self, problem: Exception) -> QueryError:
        wrapped = _chain(problem)
        connected = not any(isinstance(one, deadlines.NotConnectedError) for one in wrapped)
        if connected and any(isinstance(one, _TIMEOUTS) for one in wrapped):
            return SourceTimedOut(f"no whole answer from {self.url} within {self._seconds:g} s")
        return SourceUnreachable(f"{self.url}: {_words(problem)}")


class _Transport(HTTPAdapter):
    """Bounded pools; an answer other than 200 is an error of ours at once; the others parse with orjson."""

    def __init__(self, clock: Clock) -> None:
        self.dated: Dated | None = None
        self._clock = clock
        super().__init__(pool_connections=1, pool_maxsize=_CONNECTIONS, max_retries=_NO_RETRY)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # passed on as they are
        super().init_poolmanager(*args, **kwargs)
        deadlines.bound(self.poolmanager)

    def build_response(self, req: requests.PreparedRequest, resp: urllib3.BaseHTTPResponse) -> requests.Response:
        response = super().build_response(req, resp)
        if response.status_code != _OK:
            raise QueryRefused(response.status_code, _reason(response))
        response.json = lambda **_: _decoded(resp)  # type: ignore[method-assign]  # see the module
        date = _date(response.headers.get("Date", ""))
        if date is not None:
            self.dated = Dated(date, self._clock.monotonic())
        return response


def _date(header: str) -> float | None:
    try:
        return parsedate_to_datetime(header).timestamp()
    except ValueError:
        return None


def _decoded(response: urllib3.BaseHTTPResponse) -> object:
    """Read an answer in one piece, not in the 10 kB of requests, and decode one at a time.

    Side by side they would be ready no sooner, and take the memory of all of them.
    """
    body = response.read(decode_content=True)
    with _DECODING, COLLECTOR.paused():
        return matrices.decode(body)


class _TokenFile(AuthBase):
    """A bearer token that is read for each request, so that a rotated one is used from the next on."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {_secret(self._file)}"
        return request


class _PasswordFile(AuthBase):
    """A user name with a password that is read for each request."""

    def __init__(self, username: str, file: str) -> None:
        self._username = username
        self._file = file

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        HTTPBasicAuth(self._username, _secret(self._file))(request)  # sets the header
        return request


def _secret(file: str) -> str:
    try:
        secret = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as problem:
        raise SourceUnreachable(f"cannot read the credentials in {file}: {problem}") from problem
    if not secret:
        raise SourceUnreachable(f"the credentials in {file} are empty")
    return secret


def _auth(settings: Prometheus) -> AuthBase | None:
    if settings.bearer_token_file is not None:
        return _TokenFile(settings.bearer_token_file)
    if settings.basic_auth is not None:
        return _PasswordFile(settings.basic_auth.username, settings.basic_auth.password_file)
    return None


def _session(settings: Prometheus) -> requests.Session:
    session = requests.Session()
    session.stream = True  # the transport reads
    session.trust_env = False  # proxies and ~/.netrc of the environment would go over what the policy says
    session.verify = settings.ca_file or True
    if settings.insecure_skip_verify:
        _LOG.warning("certificates of %s are not checked, as the policy says insecureSkipVerify", settings.url)
        urllib3.disable_warnings(InsecureRequestWarning)
        session.verify = False
    return session


def _with_scheme(url: str) -> str:
    return (url if "://" in url else f"http://{url}").rstrip("/")


def _reason(response: requests.Response) -> str:
    """Return Prometheus' own words, or as much of a stranger's page as is needed to recognise it."""
    if response.is_redirect:
        return f"redirects to {response.headers['Location']}; allowed is the final address"
    try:
        return str(orjson.loads(response.content)["error"])
    except (LookupError, TypeError, ValueError):
        return response.content[:120].decode(errors="replace")


def _chain(problem: BaseException | None) -> list[BaseException]:
    """Return an error with all that it wraps: requests puts urllib3's error into `args`, urllib3 into `reason`."""
    found: list[BaseException] = []
    waiting = [problem]
    while waiting:
        one = waiting.pop()
        if isinstance(one, BaseException) and one not in found:
            found.append(one)
            waiting += [one.__cause__, getattr(one, "reason", None), *one.args]
    return found


def _words(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"
