"""Watches of the client: events as they arrive, silence, breaks, nonsense, and an end on request."""

import threading

import pytest

from sources.kube.client import KubeClient
from sources.kube.errors import (
    ApiError,
    Gone,
    Interrupted,
    TimedOut,
    Undecodable,
)
from tests.sources.http_fake import HttpFake, Reply
from tests.sources.kube.connections import PODS


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
    assert reading.wait(20)
    kube.close()
    thread.join(20)

    assert not thread.is_alive()
    with pytest.raises(Interrupted, match="closed"):
        list(kube.stream(PODS, query={}, timeout=5))
