"""Watches tell every change once, and die in all the ways that real ones do."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.jsons import Raw
from sources.kube.errors import Interrupted, TimedOut, Unreachable
from tests.raw import raw_node, raw_pod
from tests.sources.waiting import eventually

PODS = "/api/v1/pods"


def watch(api: ApiServer, *, timeout: float = 30.0, **query: str) -> Iterator[Raw]:
    return api.stream(PODS, query=query, timeout=timeout)


def pass_once_it_waits(api: ApiServer, clock: ManualClock, seconds: float) -> None:
    """Move the clock on, from another thread, when the watch waits: time that passes before is none of its own."""

    def move() -> None:
        eventually(lambda: api.watches.idle() == 1)
        clock.advance(seconds)

    threading.Thread(target=move).start()


def told(stream: Iterator[Raw], count: int) -> list[tuple[str, str]]:
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in itertools.islice(stream, count)]


def test_changes_since_a_version_come_in_order(api: ApiServer) -> None:
    version = api.request("GET", PODS).body["metadata"]["resourceVersion"]
    stream = watch(api, resourceVersion=version)

    api.put(raw_pod("a"), raw_node("n1"))
    api.put(raw_pod("a", labels={"app": "api"}))
    api.remove("pods", "a")

    assert told(stream, 3) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


def test_a_watch_without_a_version_begins_with_what_is_there(api: ApiServer) -> None:
    api.put(raw_pod("a"), raw_pod("b"))

    stream = watch(api)
    api.put(raw_pod("c"))

    assert told(stream, 3) == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]


def test_an_object_that_leaves_the_selector_is_deleted_for_the_watch(api: ApiServer) -> None:
    stream = watch(api, labelSelector="app=web")

    for app in ("web", "api", "api", "web"):
        api.put(raw_pod("a", labels={"app": app}, annotations={"turn": app}))

    assert told(stream, 3) == [("ADDED", "a"), ("DELETED", "a"), ("ADDED", "a")]


def test_an_old_version_is_answered_by_an_error_event(api: ApiServer) -> None:
    api.put(raw_pod("a"))
    api.compact()

    (event,) = watch(api, resourceVersion="1")

    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")


def test_a_watch_that_is_up_to_date_survives_compaction(api: ApiServer) -> None:
    version = api.request("GET", PODS).body["metadata"]["resourceVersion"]
    api.put(raw_pod("a"))
    stream = watch(api, resourceVersion=version)
    assert told(stream, 1) == [("ADDED", "a")]

    api.compact()
    api.put(raw_pod("b"))

    assert told(stream, 1) == [("ADDED", "b")]


def test_bookmarks_come_each_minute_where_they_are_allowed(api: ApiServer, clock: ManualClock) -> None:
    api.put(raw_pod("a"))
    stream = watch(api, timeout=900, allowWatchBookmarks="true", resourceVersion="0")
    told(stream, 1)
    pass_once_it_waits(api, clock, 60)

    event = next(stream)

    assert event["type"] == "BOOKMARK"
    assert event["object"]["metadata"] == {
        "resourceVersion": (api.find("pods", "a") or {})["metadata"]["resourceVersion"]
    }


def test_a_watch_ends_after_its_time(api: ApiServer, clock: ManualClock) -> None:
    stream = watch(api, timeoutSeconds="5")
    pass_once_it_waits(api, clock, 5)

    assert list(stream) == []


def test_silence_beyond_the_clients_patience_is_a_timeout(api: ApiServer, clock: ManualClock) -> None:
    stream = watch(api, timeout=10)
    pass_once_it_waits(api, clock, 10)

    with pytest.raises(TimedOut, match=r"watch of /api/v1/pods: nothing came within 10 s"):
        next(stream)


def test_a_frozen_watch_is_silent(api: ApiServer, clock: ManualClock) -> None:
    stream = watch(api, timeout=10)
    assert api.freeze_watches() == 1
    api.put(raw_pod("a"))
    pass_once_it_waits(api, clock, 10)

    with pytest.raises(TimedOut):
        next(stream)


def test_watches_end_and_break_by_path(api: ApiServer) -> None:
    pods = watch(api)
    nodes = api.stream("/api/v1/nodes", query={}, timeout=30)

    assert (api.end_watches("*/pods"), api.break_watches("*/nodes")) == (1, 1)
    assert list(pods) == []
    with pytest.raises(Interrupted, match="watch of /api/v1/nodes: connection reset"):
        next(nodes)
    assert api.end_watches() == 0


def test_a_server_that_is_gone_breaks_watches_and_refuses_connections(api: ApiServer) -> None:
    stream = watch(api)

    api.close()

    with pytest.raises(Interrupted):
        next(stream)
    with pytest.raises(Unreachable, match="WATCH /api/v1/pods: connection refused"):
        watch(api)
    with pytest.raises(Unreachable, match="GET /api/v1/pods: connection refused"):
        api.request("GET", PODS)


def test_a_waiting_thread_is_woken_by_a_write(api: ApiServer) -> None:
    stream = watch(api)
    heard: list[tuple[str, str]] = []
    listener = threading.Thread(target=lambda: heard.extend(told(stream, 1)))
    listener.start()

    api.put(raw_pod("a"))
    listener.join(20)

    assert heard == [("ADDED", "a")]


def test_an_idle_watch_has_told_everything(api: ApiServer) -> None:
    stream = watch(api, resourceVersion=str(api.version))
    heard: list[tuple[str, str]] = []

    def follow() -> None:
        with suppress(Interrupted):
            heard.extend(told(stream, 2))

    follower = threading.Thread(target=follow)
    follower.start()
    eventually(lambda: api.watches.idle() == 1)
    api.put(raw_pod("a"))
    eventually(lambda: api.watches.idle() == 1)
    api.freeze_watches()
    api.put(raw_pod("b"))
    eventually(lambda: api.watches.idle() == 1)

    api.break_watches()

    assert api.watches.idle() == 0
    follower.join(20)
    assert heard == []  # the second event never came
