"""Answers of the API as the client gives them: bodies, errors by status, refusals; no vendor's exception gets out."""

import time

import pytest

from sources.kube import calling
from sources.kube.client import KubeClient
from sources.kube.errors import (
    AlreadyExists,
    Cause,
    Conflict,
    Forbidden,
    GatewayTimeout,
    Gone,
    NotFound,
    ServerError,
    StatusError,
    TooManyRequests,
    Unauthorized,
)
from tests.sources.http_fake import HttpFake, Reply
from tests.sources.kube.connections import PODS


def test_answer_carries_body_and_status(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(status=201, body={"items": []}))

    answer = kube.request("POST", PODS, query={"limit": "5", "continue": "a/b+c="}, body={"kind": "Pod"})

    assert (answer.status, answer.body) == (201, {"items": []})
    assert server.asked[0].query == {"limit": "5", "continue": "a/b+c="}
    assert server.asked[0].body == b'{"kind":"Pod"}'
    assert server.asked[0].headers["Content-Type"] == "application/json"


def test_content_type_is_passed_on_and_json_is_asked_for(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply())

    kube.request("PATCH", PODS, body={}, content_type="application/merge-patch+json")

    assert server.asked[0].headers["Content-Type"] == "application/merge-patch+json"
    assert server.asked[0].headers["Accept"] == "application/json"


def test_answer_that_is_not_json_has_an_empty_body(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(body=b"<html>"), Reply(body=b"[1]"))

    assert kube.request("GET", PODS).body == {}
    assert kube.request("GET", PODS).body == {}


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        (400, "BadRequest", StatusError),
        (401, "Unauthorized", Unauthorized),
        (403, "Forbidden", Forbidden),
        (404, "NotFound", NotFound),
        (409, "Conflict", Conflict),
        (409, "AlreadyExists", AlreadyExists),
        (410, "Expired", Gone),
        (422, "Invalid", StatusError),
        (429, "TooManyRequests", TooManyRequests),
        (500, "InternalError", ServerError),
        (503, "ServiceUnavailable", ServerError),
        (504, "Timeout", GatewayTimeout),
    ],
)
def test_status_becomes_its_own_error(
    kube: KubeClient, server: HttpFake, status: int, reason: str, kind: type[StatusError]
) -> None:
    server.script(PODS, Reply(status=status, body={"kind": "Status", "reason": reason, "message": "because"}))

    with pytest.raises(StatusError, match=f"{status} {reason}: because") as caught:
        kube.request("GET", PODS)

    assert type(caught.value) is kind


def test_refused_eviction_tells_cause_and_delay(kube: KubeClient, server: HttpFake) -> None:
    details = {"causes": [{"reason": "DisruptionBudget", "message": "needs 2"}, "odd"], "retryAfterSeconds": 10}
    server.script(PODS, Reply(status=429, body={"reason": "TooManyRequests", "details": details}))

    with pytest.raises(TooManyRequests) as caught:
        kube.request("POST", PODS, body={})

    assert caught.value.causes == (Cause("DisruptionBudget", "needs 2"),)
    assert caught.value.retry_after == 10.0


def test_retry_after_header_comes_before_the_body(kube: KubeClient, server: HttpFake) -> None:
    busy = Reply(status=429, body={"details": {"retryAfterSeconds": 9}}, headers={"Retry-After": "3"})
    dated = Reply(status=503, headers={"Retry-After": "Fri, 15 Jan 2027 08:00:00 GMT"})
    server.script(PODS, busy, dated)

    with pytest.raises(TooManyRequests) as caught:
        kube.request("GET", PODS)
    with pytest.raises(ServerError) as from_proxy:
        kube.request("GET", PODS)

    assert caught.value.retry_after == 3.0
    assert from_proxy.value.retry_after is None


def test_page_of_a_proxy_is_quoted(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(status=502, body=b"<h1>Bad gateway</h1>"))

    with pytest.raises(ServerError, match="Bad gateway"):
        kube.request("GET", PODS)


def test_answer_carries_the_servers_clock(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply())

    assert calling._http_date("yesterday") is None
    assert calling._http_date(None) is None
    assert kube.request("GET", PODS).date == pytest.approx(time.time(), abs=5)
