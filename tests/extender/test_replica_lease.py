"""The replica's own Lease: made, renewed, fresh for six seconds, given up at the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from extender.replica_lease import Replica, ReplicaLease
from simulator import faults
from simulator.api_server import ApiServer
from simulator.clock import ManualClock, SteppingEvent
from simulator.jsons import Raw
from sources.kube.errors import TimedOut, Unreachable
from tests.raw import raw_object, raw_pod

REPLICA = Replica("bayplan-system", "extender-0")
OBEYS, DROPPED = "bayplan.dev/plan", "bayplan.dev/plan-dropped"


@dataclass
class FakeWord:
    """Says what it is given, and keeps what it was told."""

    says: dict[str, str | None] = field(default_factory=dict)
    heard: list[tuple[Mapping[str, str | None], Mapping[str, str]]] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)

    def words(self) -> Mapping[str, str | None]:
        """Return a copy, as it may change."""
        return {**self.says}

    def told(self, words: Mapping[str, str | None], lease: Mapping[str, str], /, *, at: float) -> None:
        """Keep it."""
        self.heard.append((words, lease))
        self.sent.append(at)


def make_lease(api: ApiServer, clock: ManualClock, word: FakeWord | None = None) -> ReplicaLease:
    return ReplicaLease(api, REPLICA, clock=clock, word=word or FakeWord())


@pytest.fixture
def api(clock: ManualClock) -> ApiServer:
    """Return a cluster in which our own pod runs."""
    server = ApiServer(clock)
    server.put(raw_pod(REPLICA.name, namespace=REPLICA.namespace))
    return server


def find_lease(api: ApiServer) -> Raw:
    found = api.find("leases", "bayplan-extender-extender-0", REPLICA.namespace)
    assert found is not None
    return found


def test_the_lease_is_made_as_a_part_of_our_own_pod(api: ApiServer, clock: ManualClock) -> None:
    make_lease(api, clock).renew()

    lease = find_lease(api)
    assert lease["spec"]["holderIdentity"] == "extender-0"
    assert lease["spec"]["leaseDurationSeconds"] == 6
    assert lease["metadata"]["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "Pod", "name": "extender-0", "uid": "uid-extender-0"}
    ]


def test_a_replica_without_a_pod_has_a_lease_without_an_owner(clock: ManualClock) -> None:
    api = ApiServer(clock)
    api.put(raw_object("v1", "Namespace", "bayplan-system", namespace=None))

    make_lease(api, clock).renew()

    assert "ownerReferences" not in find_lease(api)["metadata"]


def test_each_renewal_changes_the_object(api: ApiServer, clock: ManualClock) -> None:
    lease = make_lease(api, clock)
    lease.renew()
    first = find_lease(api)

    clock.advance(2.0)
    lease.renew()

    second = find_lease(api)
    assert first["spec"]["renewTime"] != second["spec"]["renewTime"]
    assert first["metadata"]["resourceVersion"] != second["metadata"]["resourceVersion"]


def test_a_lease_is_fresh_for_six_seconds(api: ApiServer, clock: ManualClock) -> None:
    lease = make_lease(api, clock)
    seen = [lease.fresh]

    lease.renew()
    for seconds in (0.0, 5.9, 0.1):
        clock.advance(seconds)
        seen.append(lease.fresh)

    assert seen == [False, True, True, False]


def test_it_is_renewed_every_two_seconds_and_deleted_at_the_end(api: ApiServer, clock: ManualClock) -> None:
    lease = make_lease(api, clock)

    lease.run(SteppingEvent(clock, stop_at=7.0))

    assert renewals(api, clock) == pytest.approx([0.0, 2.0, 4.0, 6.0], abs=0.1)
    assert not lease.fresh
    assert not api.all("leases")


def renewals(api: ApiServer, clock: ManualClock) -> list[float]:
    """Return when (monotonic) the Lease was written."""
    return [call.at - clock.now() + clock.monotonic() for call in api.calls.of("patch", "leases")]


def test_what_is_new_is_said_at_once_and_everything_is_told_once_it_is_written(
    api: ApiServer, clock: ManualClock
) -> None:
    word, seen = FakeWord({OBEYS: None}), list[object]()
    clock.call_after(0.5, lambda: word.says.update({OBEYS: "u/1"}))
    clock.call_after(1.0, lambda: seen.append(find_lease(api)["metadata"]["annotations"]))
    clock.call_after(1.2, lambda: word.says.update({OBEYS: None, DROPPED: "u/1"}))
    clock.call_after(1.5, lambda: seen.append(find_lease(api)["metadata"]["annotations"]))

    make_lease(api, clock, word).run(SteppingEvent(clock, stop_at=1.8))

    assert seen == [{OBEYS: "u/1"}, {DROPPED: "u/1"}]
    assert renewals(api, clock) == pytest.approx([0.0, 0.5, 1.2], abs=0.1)
    assert word.heard == [
        ({OBEYS: None}, {}),
        ({OBEYS: "u/1"}, {OBEYS: "u/1"}),
        ({OBEYS: None, DROPPED: "u/1"}, {DROPPED: "u/1"}),
    ]


def test_what_a_restarted_replica_wrote_before_is_told(api: ApiServer, clock: ManualClock) -> None:
    make_lease(api, clock, FakeWord({DROPPED: "u/1"})).renew()
    word = FakeWord({OBEYS: None})

    make_lease(api, clock, word).renew()

    assert word.heard == [({OBEYS: None}, {DROPPED: "u/1"})]


def test_a_lease_that_cannot_be_renewed_is_tried_again_at_the_same_pace(
    api: ApiServer, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    lease = make_lease(api, clock)
    api.faults.add(faults.Unconnected(), path="*/leases*", times=3)
    troubles: list[str] = []
    for moment in (5.0, 7.0):
        clock.call_after(moment, lambda: troubles.append(lease.trouble))

    lease.run(SteppingEvent(clock, stop_at=8.0))

    assert troubles[0].startswith("the Lease bayplan-extender-extender-0 cannot be renewed: PATCH")
    assert troubles[1] == ""
    assert len([record for record in caplog.records if "cannot be renewed" in record.getMessage()]) == 1


def test_a_lease_that_cannot_be_given_up_is_left_to_its_time(api: ApiServer, clock: ManualClock) -> None:
    lease = make_lease(api, clock)
    lease.renew()
    api.faults.add(faults.Unconnected(), method="DELETE", times=1)

    lease.give_up()

    assert find_lease(api)["spec"]["holderIdentity"] == "extender-0"


@pytest.mark.parametrize("method", ["PATCH", "POST"])
def test_what_may_have_been_written_counts_from_the_moment_it_was_sent(
    api: ApiServer, clock: ManualClock, method: str
) -> None:
    word = FakeWord({OBEYS: "u/0"})
    lease = make_lease(api, clock, word)
    if method == "PATCH":
        lease.renew()
    api.faults.add(faults.LostAnswer(), method=method, path="*/leases*", times=1)
    began = clock.monotonic()

    with pytest.raises(TimedOut):
        lease.renew()

    assert word.heard[-1] == ({OBEYS: "u/0"}, {})
    assert word.sent[-1] == began


def test_what_was_not_sent_was_told_to_nobody(api: ApiServer, clock: ManualClock) -> None:
    word = FakeWord({OBEYS: "u/0"})
    api.faults.add(faults.Unconnected(), method="PATCH", path="*/leases*", times=1)

    with pytest.raises(Unreachable):
        make_lease(api, clock, word).renew()

    assert word.heard == []
