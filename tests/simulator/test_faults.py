"""Faults meet the calls they are meant for, and each leaves the effect that it says."""

from math import inf

import pytest

from simulator import faults
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from sources.kube.errors import AlreadyExists, Forbidden, TimedOut, TooManyRequests, Unreachable
from tests.raw import raw_pod

LEASES = "/apis/coordination.k8s.io/v1/namespaces/bayplan-system/leases"
BUSY = faults.Fail(Failure(429, "TooManyRequests", "busy", retry_after=2))


def create(api: ApiServer, name: str = "a", user: str = "test", timeout: float = 10.0) -> None:
    api.connect(user).request("POST", LEASES, body={"metadata": {"name": name}}, timeout=timeout)


def names(api: ApiServer) -> list[str]:
    return [lease["metadata"]["name"] for lease in api.all("leases")]


def test_the_next_calls_fail_and_then_they_work(api: ApiServer) -> None:
    api.faults.add(BUSY, method="POST", times=2)

    with pytest.raises(TooManyRequests, match="busy"):
        create(api)
    with pytest.raises(TooManyRequests, match="busy") as error:
        create(api)
    create(api)

    assert error.value.retry_after == 2.0
    assert error.value.causes == ()
    assert names(api) == ["a"]


def test_only_what_matches_meets_a_fault(api: ApiServer) -> None:
    api.faults.add(faults.Unconnected(), path="*/pods", times=inf)
    api.faults.add(faults.Unconnected(), method="DELETE", times=inf)
    api.faults.add(faults.Unconnected(), user="replica-1", times=inf)

    create(api, user="replica-2")
    with pytest.raises(Unreachable, match="connection refused"):
        create(api, "b", user="replica-1")
    with pytest.raises(Unreachable):
        api.request("GET", "/api/v1/pods")

    assert names(api) == ["a"]


def test_healing_ends_every_fault(api: ApiServer) -> None:
    api.faults.add(BUSY, times=inf)

    api.faults.clear()
    create(api)

    assert names(api) == ["a"]


def test_lost_answer_has_its_effect(api: ApiServer, clock: ManualClock) -> None:
    api.faults.add(faults.LostAnswer())

    with pytest.raises(TimedOut, match="no answer within 3 s"):
        create(api, timeout=3)

    assert names(api) == ["a"]
    assert clock.monotonic() == 3.0


def test_lost_request_has_none(api: ApiServer, clock: ManualClock) -> None:
    api.faults.add(faults.LostRequest())

    with pytest.raises(TimedOut, match="no answer within 3 s"):
        create(api, timeout=3)

    assert names(api) == []
    assert clock.monotonic() == 3.0


def test_short_delay_only_takes_time(api: ApiServer, clock: ManualClock) -> None:
    api.faults.add(faults.Delayed(2))

    create(api, timeout=3)

    assert names(api) == ["a"]
    assert clock.monotonic() == 2.0


def test_call_delayed_beyond_its_timeout_arrives_later(api: ApiServer, clock: ManualClock) -> None:
    api.faults.add(faults.Delayed(60))

    with pytest.raises(TimedOut):
        create(api, timeout=3)
    early = names(api)
    clock.advance(57)

    assert (early, names(api)) == ([], ["a"])


def test_late_call_that_fails_troubles_nobody(api: ApiServer, clock: ManualClock) -> None:
    api.faults.add(faults.Delayed(60))

    with pytest.raises(TimedOut):
        create(api, timeout=3)
    create(api)
    clock.advance(57)

    assert names(api) == ["a"]


def test_another_process_acts_just_before(api: ApiServer) -> None:
    api.faults.add(faults.Before(lambda: create(api, user="other")), user="test")

    with pytest.raises(AlreadyExists):
        create(api)


def test_process_dies_between_effect_and_answer(api: ApiServer) -> None:
    def die() -> None:
        raise SystemExit(137)

    api.faults.add(faults.After(die))

    with pytest.raises(SystemExit):
        create(api)

    assert names(api) == ["a"]


def test_opening_of_a_watch_meets_its_fault(api: ApiServer) -> None:
    denied = faults.Fail(Failure(403, "Forbidden", "pods is forbidden"))
    api.faults.add(denied, method="WATCH", path="/api/v1/pods")

    api.request("GET", "/api/v1/pods")
    with pytest.raises(Forbidden, match="pods is forbidden"):
        api.stream("/api/v1/pods", query={}, timeout=10)


def test_calls_are_recorded_in_the_words_of_rbac(api: ApiServer) -> None:
    api.put(raw_pod("web-0"))
    one = api.connect("one")
    one.request("GET", "/api/v1/pods")
    one.stream("/api/v1/nodes", query={}, timeout=10)
    one.request("POST", "/api/v1/namespaces/default/pods/web-0/eviction", body={"metadata": {"name": "web-0"}})
    create(api, user="two")

    assert [(call.verb, call.resource, call.target.namespace) for call in api.calls.of(user="one")] == [
        ("list", "pods", None),
        ("watch", "nodes", None),
        ("create", "pods/eviction", "default"),
    ]
    (call,) = api.calls.of("create", "leases")
    assert (call.user, call.target.kind.group, call.body) == ("two", "coordination.k8s.io", {"metadata": {"name": "a"}})
    assert str(call) == f"two: create leases {LEASES}"
    api.calls.clear()
    assert len(api.calls) == 0


def test_deleting_a_collection_is_seen_as_such(api: ApiServer) -> None:
    with pytest.raises(Exception, match="does not allow"):
        api.request("DELETE", "/api/v1/namespaces/default/pods")

    assert [call.verb for call in api.calls] == ["deletecollection"]


def test_calls_are_counted_while_they_come(api: ApiServer) -> None:
    create(api)

    assert len(api.calls) == 1
    assert api.calls.of("create", path="*/pods") == []
