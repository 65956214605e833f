"""The adapter against a real HTTP server: questions, deadlines, errors; no vendor's exception gets out."""

import inspect
import math
import socket
import time
from typing import Any

import pytest
import requests
import urllib3
from prometheus_api_client import exceptions as vendor

from sources.clocks import SystemClock
from sources.prometheus.adapter import PrometheusSource
from sources.prometheus.errors import AnswerMalformed, QueryError, QueryRefused, SourceTimedOut, SourceUnreachable
from sources.prometheus.series import Series, Span
from tests.sources.http_fake import SLOW, SLOWEST, HttpFake, Reply, took
from tests.sources.prometheus.answers import AT, INSTANT, RANGE, Opening, one, success


def test_instant_query_is_asked_at_the_exact_moment(source: PrometheusSource, server: HttpFake) -> None:
    server.script(INSTANT, Reply(body=success(one("0.5"), one("NaN", instance="n2"), one("+Inf", instance="n3"))))

    found = source.instant('sum by (instance) (rate(x{mode="idle"}[1m]))', AT)

    assert server.asked[0].query == {
        "query": 'sum by (instance) (rate(x{mode="idle"}[1m]))',
        "time": "1800000000.250",
        "timeout": "2s",
    }
    assert found[0] == Series({"instance": "n1"}, [AT], [0.5])
    assert math.isnan(found[1].values[0])
    assert found[2].values[0] == math.inf


def test_date_of_the_newest_answer_is_kept(source: PrometheusSource, server: HttpFake) -> None:
    server.script(INSTANT, Reply(body=success()))
    before = source.dated

    source.instant("up", AT)

    assert before is None
    assert source.dated is not None
    assert abs(source.dated.date - time.time()) < 60
    assert source.dated.received <= SystemClock().monotonic()


def test_range_query_is_asked_for_exact_steps(source: PrometheusSource, server: HttpFake) -> None:
    values = {"metric": {"instance": "n1"}, "values": [[AT - 15, "1"], [AT, "NaN"]]}
    server.script(RANGE, Reply(body=success(values)))

    (found,) = source.range("up", Span(start=AT - 15, end=AT, step=15.0))

    asked = server.asked[0].query
    assert (asked["start"], asked["end"], asked["step"]) == ("1799999985.250", "1800000000.250", "15")
    assert [*found.times] == [AT - 15, AT]
    assert found.values[0] == 1.0
    assert math.isnan(found.values[1])


def test_no_series_is_an_answer(source: PrometheusSource, server: HttpFake) -> None:
    server.script(INSTANT, Reply(body=success()))

    assert source.instant("up", AT) == []


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW)
def test_query_ends_in_time_whatever_the_server_does(server: HttpFake, opening: Opening, slow: Reply) -> None:
    server.script(INSTANT, slow)
    began = time.monotonic()

    with pytest.raises(SourceTimedOut, match=r"no whole answer from http://127.* within 0.3 s"):
        opening(url=server.url, timeout=0.3).instant("up", AT)

    assert took(began) < SLOWEST
    assert len(server.asked) == 1


def test_nobody_listens(opening: Opening) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"127.0.0.1:{free.getsockname()[1]}"

    with pytest.raises(SourceUnreachable, match="refused"):
        opening(url=url).instant("up", AT)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply(status=400, body={"status": "error", "error": "1:5: parse error"}), "HTTP 400: 1:5: parse error"),
        (Reply(status=422, body={"status": "error", "error": "many-to-many"}), "HTTP 422: many-to-many"),
        (Reply(status=401, body=b"Unauthorized"), "HTTP 401: Unauthorized"),
        (Reply(status=503, body=[]), r"HTTP 503: \[\]"),
        (Reply(status=503, body=b""), "HTTP 503$"),
        (Reply(status=302, headers={"Location": "https://login"}), "HTTP 302: redirects to https://login; allowed is"),
    ],
    ids=["bad query", "execution", "rights", "no words", "nothing", "redirect"],
)
def test_error_status_is_told_in_prometheus_own_words(
    source: PrometheusSource, server: HttpFake, reply: Reply, text: str
) -> None:
    server.script(INSTANT, reply)

    with pytest.raises(QueryRefused, match=text):
        source.instant("up", AT)
    assert len(server.asked) == 1


MALFORMED: list[Any] = [
    b"<html>", b"", b"{}", b"[]", b"3", b"null", {"data": []}, {"data": None}, {"data": {}}, {"data": {"result": None}},
    {"data": {"result": [1800000000, "1"]}}, {"data": {"result": [{"value": [1, "1"]}]}}, {"data": {"result": {}}},
]  # fmt: skip


@pytest.mark.parametrize("body", MALFORMED, ids=repr)
def test_malformed_answer_never_leaks_the_vendors_exception(
    source: PrometheusSource, server: HttpFake, body: Any
) -> None:
    server.script(INSTANT, Reply(body=body))
    server.script(RANGE, Reply(body=body))

    with pytest.raises(AnswerMalformed):
        source.instant("up", AT)
    with pytest.raises(AnswerMalformed):
        source.range("up", Span(start=AT, end=AT, step=1.0))


@pytest.mark.parametrize("reply", [Reply(slam=True), Reply(body=success(one()), cut=9)], ids=["hangs up", "cut short"])
def test_broken_connection_is_told(source: PrometheusSource, server: HttpFake, reply: Reply) -> None:
    server.script(INSTANT, reply)

    with pytest.raises(SourceUnreachable):
        source.instant("up", AT)


class _Failing:
    """Stands for the vendor's client and raises what it is given."""

    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    def custom_query(self, *_: object, **__: object) -> object:
        raise self.problem


def _exceptions(module: Any, base: type[BaseException]) -> list[type[Exception]]:
    found = inspect.getmembers(module, lambda member: inspect.isclass(member) and issubclass(member, base))
    return [member for _, member in found]


VENDORS = [
    *_exceptions(requests.exceptions, requests.RequestException),
    *_exceptions(urllib3.exceptions, urllib3.exceptions.HTTPError),
    *_exceptions(vendor, Exception),
    KeyError, IndexError, TypeError, ValueError, AttributeError, OSError, ConnectionResetError, TimeoutError,
]  # fmt: skip


@pytest.mark.parametrize("kind", VENDORS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_no_exception_of_the_vendors_gets_out(
    kind: type[Exception], opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = opening(url="http://127.0.0.1:1")
    problem = kind.__new__(kind)
    problem.args = ("seen",)
    for attribute in ("partial", "expected", "length"):  # some write themselves with what their constructor keeps
        setattr(problem, attribute, 0)
    monkeypatch.setattr(source, "_client", _Failing(problem))

    with pytest.raises(QueryError) as caught:
        source.instant("up", AT)
    assert caught.value.__cause__ is problem
