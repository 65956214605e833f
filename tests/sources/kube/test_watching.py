"""Reflectors on the in-memory API server: what breaks a watch, and how it goes on."""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from policies.values.nodes import Node
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import After, Fail
from sources.kube import kinds
from sources.kube.errors import Gone, ServerError, Undecodable
from sources.kube.watching import Pace, Reflector
from tests.sources.kube.api_fake import ScriptedApi
from tests.sources.kube.raw import raw_node
from tests.sources.waiting import eventually

Seen = list[tuple[str | None, str | None]]


def node(name: str, **changes: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node"} | raw_node(name, **changes)


@pytest.fixture
def api() -> ApiServer:
    server = ApiServer(ManualClock())
    server.put(*(node(f"n{number}") for number in range(3)))
    return server


@pytest.fixture
def seen() -> Seen:
    return []


@pytest.fixture
def nodes(api: ApiServer, seen: Seen) -> Reflector[Node]:
    def note(before: Node | None, after: Node | None) -> None:
        seen.append((before.name if before else None, after.name if after else None))

    return Reflector(api, replace(kinds.NODES, page=2), note, pace=Pace(clock=api.clock, seed=1))


@contextmanager
def running(api: ApiServer, reflector: Reflector[Any]) -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=reflector.run, args=(stop,))
    thread.start()
    try:
        eventually(lambda: reflector.synced)
        yield
    finally:
        stop.set()
        api.end_watches()
        thread.join(20)
        assert not thread.is_alive()


def watches(api: ApiServer) -> int:
    return len(api.calls.of("watch", "nodes"))


def test_everything_is_listed_and_then_followed(api: ApiServer, nodes: Reflector[Node], seen: Seen) -> None:
    with running(api, nodes):
        eventually(lambda: watches(api) == 1)
        api.put(node("n9"))
        eventually(lambda: nodes.get("n9"))
        api.put(node("n9", spec__unschedulable=True))
        eventually(lambda: (found := nodes.get("n9")) and found.cordoned)
        api.remove("nodes", "n9")
        eventually(lambda: nodes.get("n9") is None)

    assert set(nodes.values()) == {"n0", "n1", "n2"}
    assert seen == [(None, "n0"), (None, "n1"), (None, "n2"), (None, "n9"), ("n9", "n9"), ("n9", None)]


def test_watch_asks_for_bookmarks_from_the_version_of_the_list(api: ApiServer, nodes: Reflector[Node]) -> None:
    with running(api, nodes):
        eventually(lambda: watches(api) == 1)

    (call,) = api.calls.of("watch", "nodes")[:1]
    assert call.query["allowWatchBookmarks"] == "true"
    assert call.query["resourceVersion"]
    assert 240 <= int(call.query["timeoutSeconds"]) <= 360


@pytest.mark.parametrize("trouble", ["end_watches", "break_watches"])
def test_broken_watch_goes_on_without_a_list(api: ApiServer, nodes: Reflector[Node], seen: Seen, trouble: str) -> None:
    with running(api, nodes):
        eventually(lambda: watches(api) == 1)
        lists = len(api.calls.of("list", "nodes"))
        api.put(node("n5"))
        getattr(api, trouble)()
        api.put(node("n6"))
        eventually(lambda: nodes.get("n6"))

        assert len(api.calls.of("list", "nodes")) == lists
    assert seen.count((None, "n5")) == 1


def test_forgotten_version_lists_again_and_reports_only_what_changed(
    api: ApiServer, nodes: Reflector[Node], seen: Seen
) -> None:
    with running(api, nodes):
        eventually(lambda: watches(api) == 1)
        seen.clear()
        api.faults.add(Fail(Failure(503, "ServiceUnavailable", "restarting")), method="WATCH", times=1)
        api.faults.add(After(api.compact), method="WATCH", times=1)
        api.break_watches()
        eventually(lambda: nodes.problem)
        api.remove("nodes", "n1")
        api.put(node("n2", spec__unschedulable=True), node("n7"))
        api.compact()
        eventually(lambda: nodes.get("n7"))
        eventually(lambda: nodes.get("n1") is None)

    assert sorted(seen, key=str) == sorted([("n1", None), ("n2", "n2"), (None, "n7")], key=str)


def test_refused_list_says_why_and_recovers(
    api: ApiServer, nodes: Reflector[Node], caplog: pytest.LogCaptureFixture
) -> None:
    api.faults.add(Fail(Failure(403, "Forbidden", "may not list")), path="/api/v1/nodes", times=2)
    stop = threading.Event()
    thread = threading.Thread(target=nodes.run, args=(stop,))
    thread.start()

    eventually(lambda: nodes.problem)
    assert not nodes.synced
    assert nodes.stale_for() == math.inf
    eventually(lambda: nodes.synced)
    assert nodes.problem == ""
    stop.set()
    api.end_watches()
    thread.join(20)
    assert caplog.text.count("403 Forbidden: may not list") == 1


def test_silence_is_measured_and_a_bookmark_ends_it(api: ApiServer, nodes: Reflector[Node]) -> None:
    with running(api, nodes):
        eventually(lambda: api.watches.idle() == 1)
        api.clock.advance(50)
        assert nodes.stale_for() == 50
        api.clock.advance(60)
        eventually(lambda: nodes.stale_for() == 0)


def test_watch_that_falls_silent_is_opened_anew(api: ApiServer, nodes: Reflector[Node]) -> None:
    with running(api, nodes):
        eventually(lambda: api.watches.idle() == 1)
        api.freeze_watches()
        api.put(node("n8"))
        api.clock.advance(100)
        eventually(lambda: nodes.get("n8"))
        assert watches(api) == 2


def test_a_quiet_kind_is_listed_again_to_prove_that_it_is_only_quiet(
    api: ApiServer, caplog: pytest.LogCaptureFixture
) -> None:
    quiet = Reflector(api, kinds.NODES, lambda _before, _after: None, pace=Pace(clock=api.clock, seed=1))
    with running(api, quiet):
        for _ in range(3):
            eventually(lambda: api.watches.idle() == 1)  # opened after the list: it must not escape the frost
            api.freeze_watches()
            api.clock.advance(91)
            eventually(lambda: quiet.stale_for() == 0)

        assert len(api.calls.of("list", "nodes")) == 4
    assert caplog.text == ""


def test_object_that_becomes_malformed_is_dropped_and_named_once(
    api: ApiServer, nodes: Reflector[Node], seen: Seen, caplog: pytest.LogCaptureFixture
) -> None:
    with running(api, nodes):
        eventually(lambda: watches(api) == 1)
        for cpu in ("lots", "lots", "4"):
            api.put(node("n1", status__allocatable={"cpu": cpu}, metadata__labels={"cpu": cpu}))
        api.put(node("n2", status__allocatable={"cpu": "much"}))
        eventually(lambda: "n2" in nodes.skipped)

        assert nodes.get("n1") is not None
        assert set(nodes.skipped) == {"n2"}
        api.remove("nodes", "n2")
        eventually(lambda: not nodes.skipped)

    assert caplog.text.count("n1: QuantityError") == 1
    assert ("n1", None) in seen


def _watch_once(*events: dict[str, Any]) -> Reflector[Node]:
    reflector: Reflector[Node] = Reflector(ScriptedApi(*events), kinds.NODES, lambda _before, _after: None)
    reflector._version = "1"
    reflector._watch(threading.Event())
    return reflector


def test_event_without_an_object_is_undecodable() -> None:
    with pytest.raises(Undecodable, match="ADDED event without an object"):
        _watch_once({"type": "ADDED"})


def test_error_event_raises_its_status() -> None:
    with pytest.raises(ServerError, match="500 Odd"):
        _watch_once({"type": "ERROR", "object": {"reason": "Odd", "code": None}})


@pytest.mark.parametrize("kind", ["BOOKMARK", "MODIFIED"])
def test_a_server_whose_versions_went_back_is_listed_anew(kind: str) -> None:
    with pytest.raises(Gone, match="versions of /api/v1/nodes went back from 1 to 0"):
        _watch_once({"type": kind, "object": {"metadata": {"resourceVersion": "0"}}})


@pytest.mark.parametrize("version", ["1", "2", "odd"])
def test_the_same_version_again_is_no_step_back(version: str) -> None:
    reflector = _watch_once({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": version}}})

    assert reflector._version == version


def test_a_malformed_object_that_went_unheard_is_not_told_for_ever(api: ApiServer, nodes: Reflector[Node]) -> None:
    api.put(node("odd", status__allocatable={"cpu": "many"}))
    with running(api, nodes):
        eventually(lambda: api.watches.idle() == 1)
        assert set(nodes.skipped) == {"odd"}

        api.freeze_watches()
        api.remove("nodes", "odd")
        api.compact()
        api.break_watches()

        eventually(lambda: nodes.skipped == {})


def test_objects_without_a_name_are_skipped() -> None:
    reflector = _watch_once(
        {"type": "ADDED", "object": {"metadata": None}},
        {"type": "DELETED", "object": {}},
        {"type": "SOMETHING", "object": {"metadata": {"resourceVersion": "9"}}},
    )

    assert reflector.values() == {}
    assert reflector._version == "9"
    assert "an object without metadata" in reflector.skipped
