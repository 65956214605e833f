"""Connections that hang, break or are refused: calls end in time, and whether one was sent is always told."""

import socket
import time
from pathlib import Path
from typing import Any

import pytest

from sources.kube.client import KubeClient, connect
from sources.kube.errors import (
    Interrupted,
    TimedOut,
    Unanswered,
    Unreachable,
)
from tests.sources.http_fake import SLOW, SLOWEST, HttpFake, Reply, took
from tests.sources.kube.connections import PODS, kubeconfig


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW)
def test_call_ends_in_time_whatever_the_server_does(kube: KubeClient, server: HttpFake, slow: Reply) -> None:
    server.script(PODS, slow)
    began = time.monotonic()

    with pytest.raises(TimedOut, match="GET http://127"):
        kube.request("GET", PODS, timeout=0.3)

    assert took(began) < SLOWEST


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

        assert took(began) < 5
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


def test_https_to_a_server_without_tls_says_what_is_likely(tmp_path: Path, server: HttpFake) -> None:
    url = server.url.replace("http://", "https://")
    unchecked = kubeconfig(tmp_path, url, cluster={"insecure-skip-tls-verify": True})

    with pytest.raises(Unreachable, match=r"/pods: the answer is no TLS; the server may speak http:// on this port$"):
        connect(unchecked).request("POST", PODS, body={})


def test_break_without_tls_says_that_the_port_may_want_it(kube: KubeClient, server: HttpFake) -> None:
    server.script(PODS, Reply(slam=True))

    with pytest.raises(Interrupted, match=r"/pods: the connection broke: .*; the server may speak https:// on this"):
        kube.request("POST", PODS, body={})
