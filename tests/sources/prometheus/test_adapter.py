"""The adapter against a real HTTP server: addresses, credentials, deadlines; no vendor's exception gets out."""

import base64
import inspect
import math
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import urllib3
from hypothesis import given
from hypothesis import strategies as st
from prometheus_api_client import exceptions as vendor

from policies.model.prometheus import BasicAuth, Prometheus
from sources.clocks import SystemClock
from sources.prometheus.adapter import PrometheusSource
from sources.prometheus.errors import AnswerMalformed, QueryError, QueryRefused, SourceTimedOut, SourceUnreachable
from sources.prometheus.series import Series, Span, compact, matrix, shown, vector
from tests.sources.http_fake import TLS, HttpFake, Reply, took

INSTANT = "/api/v1/query"
RANGE = "/api/v1/query_range"
AT = 1_800_000_000.25
Opening = Callable[..., PrometheusSource]


def success(*result: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "vector", "result": list(result)}}


def one(value: Any = "0.5", **labels: str) -> dict[str, Any]:
    return {"metric": labels or {"instance": "n1"}, "value": [AT, value]}


@pytest.fixture
def opening() -> Iterator[Opening]:
    opened: list[PrometheusSource] = []

    def open_source(**settings: Any) -> PrometheusSource:
        opened.append(PrometheusSource(Prometheus(**settings)))
        return opened[-1]

    yield open_source
    for source in opened:
        source.close()


@pytest.fixture
def source(server: HttpFake, opening: Opening) -> PrometheusSource:
    return opening(url=server.url, timeout=2.0)


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


def test_fc_060_address_without_a_scheme(server: HttpFake, opening: Opening) -> None:
    server.script(INSTANT, Reply(body=success(one())))

    assert opening(url=server.url.removeprefix("http://")).instant("up", AT)
    assert opening(url=server.url + "/").instant("up", AT)


def test_address_may_have_a_path(server: HttpFake, opening: Opening) -> None:
    server.script("/prometheus/api/v1/query", Reply(body=success(one())))

    assert opening(url=server.url + "/prometheus/").instant("up", AT)


def test_fc_050_https_with_its_own_authority(tls_server: HttpFake, opening: Opening) -> None:
    tls_server.script(INSTANT, Reply(body=success(one())))

    assert opening(url=tls_server.url, ca_file=str(TLS / "ca.pem")).instant("up", AT)


@pytest.mark.parametrize("authority", [None, str(TLS / "other-ca.pem")], ids=["the system's", "another"])
def test_certificate_that_nobody_we_trust_signed_sends_nothing(
    tls_server: HttpFake, opening: Opening, authority: str | None
) -> None:
    with pytest.raises(SourceUnreachable, match="certificate verify failed"):
        opening(url=tls_server.url, ca_file=authority).instant("up", AT)

    assert tls_server.asked == []


def test_authority_file_that_is_missing_is_told(tls_server: HttpFake, opening: Opening) -> None:
    with pytest.raises(SourceUnreachable, match=r"nowhere\.pem"):
        opening(url=tls_server.url, ca_file="/nowhere.pem").instant("up", AT)


def test_checks_are_switched_off_only_when_told_and_not_in_silence(
    tls_server: HttpFake, opening: Opening, caplog: pytest.LogCaptureFixture
) -> None:
    tls_server.script(INSTANT, Reply(body=success(one())))

    assert opening(url=tls_server.url, insecure_skip_verify=True).instant("up", AT)
    assert "are not checked" in caplog.text


def test_rotated_token_is_used_from_the_next_query_on(server: HttpFake, opening: Opening, tmp_path: Path) -> None:
    server.script(INSTANT, Reply(body=success()))
    token = tmp_path / "token"
    source = opening(url=server.url, bearer_token_file=str(token))

    with pytest.raises(SourceUnreachable, match=f"cannot read the credentials in {token}"):
        source.instant("up", AT)
    for content in ("first\n", "second"):
        token.write_text(content)
        source.instant("up", AT)
    token.write_text(" ")
    with pytest.raises(SourceUnreachable, match="are empty"):
        source.instant("up", AT)

    assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer first", "Bearer second"]


def test_basic_auth_and_headers_are_sent(server: HttpFake, opening: Opening, tmp_path: Path) -> None:
    server.script(INSTANT, Reply(body=success()))
    (tmp_path / "password").write_text("s3cret\n")
    auth = BasicAuth(username="bay", password_file=str(tmp_path / "password"))

    opening(url=server.url, basic_auth=auth, headers={"X-Scope-OrgID": "team-a"}).instant("up", AT)

    sent = server.asked[0].headers
    assert base64.b64decode(sent["Authorization"].removeprefix("Basic ")) == b"bay:s3cret"
    assert sent["X-Scope-OrgID"] == "team-a"


def test_environment_has_no_say(server: HttpFake, opening: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    server.script(INSTANT, Reply(body=success()))

    assert opening(url=server.url).instant("up", AT) == []


@pytest.mark.parametrize(
    "slow",
    [
        Reply(wait=5),
        Reply(body=b"x" * 1000, drip=0.02),
        Reply(drip=0.02, drip_head=True),
    ],
    ids=["silent", "drips the body", "drips the head"],
)
def test_query_ends_in_time_whatever_the_server_does(server: HttpFake, opening: Opening, slow: Reply) -> None:
    server.script(INSTANT, slow)
    began = time.monotonic()

    with pytest.raises(SourceTimedOut, match=r"no whole answer from http://127.* within 0.3 s"):
        opening(url=server.url, timeout=0.3).instant("up", AT)

    assert took(began) < 0.8
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


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ({"value": [1, "many"]}, "holds {'value': [1, 'many']}, not numbers"),
        ({"value": [1]}, "holds {'value': [1]}, not numbers"),
        ({}, "holds {}, not numbers"),
        ({"histogram": [1, {}]}, "holds native histograms, not numbers"),
    ],
    ids=["text", "short", "nothing", "histogram"],
)
def test_series_without_numbers_says_so(raw: dict[str, Any], fault: str) -> None:
    (found,) = vector([{"metric": {"instance": "n1"}} | raw])

    assert (found.fault, found.values) == (fault, ())
    assert str(found) == '{instance="n1"}'


def test_range_series_without_numbers_says_so() -> None:
    (found,) = matrix([{"metric": {}, "histograms": []}])

    assert found.fault == "holds native histograms, not numbers"


@pytest.mark.parametrize("pairs", [[[1, "many"]], [[1]], [1], [[None, "1"]]], ids=["text", "short", "flat", "no time"])
def test_range_series_with_anything_but_numbers_stays_as_it_came(pairs: list[Any]) -> None:
    answer = {"data": {"result": [{"metric": {}, "values": pairs}]}}

    assert compact(answer) == {"data": {"result": [{"metric": {}, "values": pairs}]}}
    assert matrix(answer["data"]["result"])[0].fault == f"holds {{'values': {pairs}}}, not numbers"


@pytest.mark.parametrize("answer", [None, [], {}, {"data": []}, {"data": {"result": 1}}, {"data": {"result": [1]}}])
def test_answer_of_another_shape_is_not_touched(answer: object) -> None:
    assert compact(answer) is answer


@given(st.lists(st.floats(), max_size=5))
def test_every_number_prometheus_may_send_is_read_exactly(numbers: list[float]) -> None:
    written = [[float(at), _as_go_writes(number)] for at, number in enumerate(numbers)]

    (found,) = matrix([{"metric": {}, "values": written}])

    for value, number in zip(found.values, numbers, strict=True):
        assert value == number or (math.isnan(value) and math.isnan(number))


def _as_go_writes(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return ("+Inf" if number > 0 else "-Inf") if math.isinf(number) else repr(number)


def test_long_labels_are_cut_in_messages() -> None:
    assert len(shown({f"label{number}": "x" * 20 for number in range(20)})) < 170
