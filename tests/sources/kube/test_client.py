"""The real client against a real HTTP server: deadlines, credentials, and that no vendor's exception gets out."""

import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.config import ConfigException

from sources.kube import calling
from sources.kube.client import KubeClient, connect
from sources.kube.errors import (
    AlreadyExists,
    ApiError,
    Cause,
    Conflict,
    Forbidden,
    GatewayTimeout,
    Gone,
    Interrupted,
    Misconfigured,
    NotFound,
    ServerError,
    StatusError,
    TimedOut,
    TooManyRequests,
    Unanswered,
    Unauthorized,
    Undecodable,
    Unreachable,
)
from tests.sources.http_fake import TLS, HttpFake, Reply, took

PODS = "/api/v1/pods"


def kubeconfig(folder: Path, url: str, *, cluster: dict[str, Any] | None = None, user: Any = None) -> Path:
    file = folder / "kubeconfig"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": url} | (cluster or {})}],
        "users": [{"name": "u", "user": user or {}}],
    }
    file.write_text(yaml.safe_dump(content))
    return file


@pytest.fixture
def kube(server: HttpFake, tmp_path: Path) -> KubeClient:
    return connect(kubeconfig(tmp_path, server.url))


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


@pytest.mark.parametrize(
    "slow",
    [
        Reply(wait=5),
        Reply(body=b"x" * 1000, drip=0.02),
        Reply(drip=0.02, drip_head=True),
    ],
    ids=["silent", "drips the body", "drips the head"],
)
def test_call_ends_in_time_whatever_the_server_does(kube: KubeClient, server: HttpFake, slow: Reply) -> None:
    server.script(PODS, slow)
    began = time.monotonic()

    with pytest.raises(TimedOut, match="GET http://127"):
        kube.request("GET", PODS, timeout=0.3)

    assert took(began) < 0.6


def test_connection_is_usable_after_a_call_that_just_made_it(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(wait=0.25), Reply(wait=0.25))

    kube.request("GET", PODS, timeout=0.5)
    kube.request("GET", PODS, timeout=0.5)

    assert len(server.asked) == 2


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"

    with pytest.raises(Unreachable, match=r"/pods: Failed to establish a new connection: .*refused"):
        connect(kubeconfig(tmp_path, url)).request("POST", PODS, body={})


def test_connection_that_takes_too_long_sends_nothing(tmp_path: Path) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        port = deaf.getsockname()[1]
        crowd = [socket.socket() for _ in range(4)]  # fills the backlog, so that the next connection hangs
        for one in crowd:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        began = time.monotonic()

        with pytest.raises(Unreachable):
            connect(kubeconfig(tmp_path, f"http://127.0.0.1:{port}")).request("POST", PODS, body={}, timeout=0.3)

        assert took(began) < 1.0
        for one in crowd:
            one.close()


def test_name_that_is_found_too_late_sends_nothing(
    kube: KubeClient, server: HttpFake, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up = socket.getaddrinfo

    def slowly(*args: Any, **kwargs: Any) -> Any:  # a look-up cannot be bounded, and no server of ours can be so slow
        time.sleep(0.3)
        return look_up(*args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", slowly)
    server.script(PODS, Reply())

    with pytest.raises(Unreachable, match=r"no connection to 127.0.0.1 within 0\.\d+ s"):
        kube.request("POST", PODS, body={}, timeout=0.2)
    assert server.asked == []


def test_answer_carries_the_servers_clock(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply())

    assert calling._http_date("yesterday") is None
    assert calling._http_date(None) is None
    assert kube.request("GET", PODS).date == pytest.approx(time.time(), abs=5)


def test_write_on_a_connection_that_breaks_is_unanswered_and_not_repeated(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(slam=True), Reply())

    with pytest.raises(Interrupted) as caught:
        kube.request("POST", PODS, body={})

    assert isinstance(caught.value, Unanswered)
    assert len(server.asked) == 1


def test_read_on_a_connection_that_breaks_is_repeated_once(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(slam=True), Reply(body={"items": [1]}))

    assert kube.request("GET", PODS).body == {"items": [1]}


def test_answer_cut_short_is_unanswered(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(body={"items": ["a"] * 50}, cut=10))

    with pytest.raises(Interrupted):
        kube.request("POST", PODS, body={})


def test_certificate_of_an_unknown_authority_sends_nothing(tls_server: HttpFake, tmp_path: Path) -> None:
    other = {"certificate-authority": str(TLS / "other-ca.pem")}

    with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
        connect(kubeconfig(tmp_path, tls_server.url, cluster=other)).request("GET", PODS)

    assert tls_server.asked == []


def test_https_with_its_own_authority(tls_server: HttpFake, tmp_path: Path) -> None:
    tls_server.script(PODS, Reply(body={"items": []}), Reply(body=b"y" * 1000, drip=0.02))
    kube = connect(kubeconfig(tmp_path, tls_server.url, cluster={"certificate-authority": str(TLS / "ca.pem")}))

    assert kube.request("GET", PODS).body == {"items": []}
    with pytest.raises(TimedOut):
        kube.request("GET", PODS, timeout=0.3)


def test_rotated_token_file_is_read_when_the_old_token_is_refused(server: HttpFake, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    kube = connect(kubeconfig(tmp_path, server.url, user={"tokenFile": str(token)}))
    server.script(PODS, Reply(), Reply(status=401, body={"reason": "Unauthorized"}), Reply())

    kube.request("GET", PODS)
    token.write_text("new")
    kube.request("POST", PODS, body={})

    assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer old", "Bearer old", "Bearer new"]


def test_token_refused_twice_is_an_error(server: HttpFake, tmp_path: Path) -> None:
    server.script(PODS, Reply(status=401, body={"reason": "Unauthorized"}))

    with pytest.raises(Unauthorized):
        connect(kubeconfig(tmp_path, server.url, user={"token": "t"})).request("GET", PODS)

    assert len(server.asked) == 2


@pytest.mark.parametrize("text", ["", "a: [", "[]", "clusters: []\n", "a: 1"], ids=repr)
def test_unusable_kubeconfig_says_which_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config"
    file.write_text(text)

    with pytest.raises(Misconfigured, match=f"kubeconfig {file}: "):
        connect(file)


def test_missing_kubeconfig_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="nowhere"):
        connect(tmp_path / "nowhere")


def test_outside_a_pod_a_kubeconfig_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    with pytest.raises(Misconfigured, match="no --kubeconfig, BAYPLAN_KUBECONFIG or KUBECONFIG is given, and"):
        connect(None)


def test_watch_yields_events_as_they_arrive(kube: KubeClient, server: HttpFake) -> None:
    halves = (b'{"type": "ADD', b'ED", "object": 1}\n{"type": "BOOKMARK"}\n\n')
    server.script(PODS, Reply(lines=({"type": "MODIFIED"}, *halves)))

    events = list(kube.stream(PODS, query={"watch": "1"}, timeout=5))

    assert [event["type"] for event in events] == ["MODIFIED", "ADDED", "BOOKMARK"]
    assert server.asked[0].query == {"watch": "1"}


def test_silent_watch_times_out(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(lines=({"type": "ADDED"},), hold=5))
    events = kube.stream(PODS, query={}, timeout=0.2)

    assert next(events) == {"type": "ADDED"}
    with pytest.raises(TimedOut):
        next(events)


def test_watch_that_breaks_is_interrupted(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(lines=({"type": "ADDED"},), cut=0))
    events = kube.stream(PODS, query={}, timeout=5)
    next(events)

    with pytest.raises(Interrupted):
        next(events)


@pytest.mark.parametrize("line", [b"nonsense\n", b"[1]\n"])
def test_line_that_is_no_event_is_undecodable(kube: KubeClient, server: HttpFake, line: bytes) -> None:
    server.script(PODS, Reply(lines=(line,)))

    with pytest.raises(Undecodable, match="is not"):
        list(kube.stream(PODS, query={}, timeout=5))


def test_refused_watch_raises_its_status(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(status=410, body={"reason": "Expired"}))

    with pytest.raises(Gone):
        list(kube.stream(PODS, query={}, timeout=5))


def test_close_ends_an_open_watch(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(lines=({"type": "ADDED"},), hold=20))
    seen: list[ApiError] = []
    reading = threading.Event()

    def watch() -> None:
        try:
            for _ in kube.stream(PODS, query={}, timeout=20):
                reading.set()
        except ApiError as problem:
            seen.append(problem)

    thread = threading.Thread(target=watch)
    thread.start()
    assert reading.wait(5)
    kube.close()
    thread.join(5)

    assert not thread.is_alive()
    with pytest.raises(Interrupted, match="closed"):
        list(kube.stream(PODS, query={}, timeout=5))


def test_service_account_is_used_inside_a_pod(
    server: HttpFake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"SERVICE_TOKEN_FILENAME": "token", "SERVICE_CERT_FILENAME": "ca.crt"}
    for constant, name in files.items():
        (tmp_path / name).write_text((TLS / "ca.pem").read_text() if name == "ca.crt" else "sa-token")
        monkeypatch.setattr(f"kubernetes.config.incluster_config.{constant}", str(tmp_path / name))
    host, port = server.url.removeprefix("http://").split(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)

    link = connect(None)._link

    assert link.host == f"https://{host}:{port}"
    assert link.call("GET", PODS, None).headers["Authorization"] == "bearer sa-token"
    (tmp_path / "token").write_text("")
    monkeypatch.setattr(link.configuration, "refresh_api_key_hook", _emptied)
    with pytest.raises(Misconfigured, match="token of https"):
        link.call("GET", PODS, None)


def _emptied(_: object) -> None:
    raise ConfigException("Token file exists but empty.")
