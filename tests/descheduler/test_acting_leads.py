"""Only who holds the Lease acts; observing needs none and calls nothing."""

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.faults import After, Unconnected
from tests.descheduler.acts import EVICTIONS, LEASES, RECORDS, Process, calls, records
from tests.descheduler.conftest import PutPod


def test_without_the_lease_nothing_is_read_written_or_called(server: ApiServer, put_pod: PutPod) -> None:
    Process(server, "other")
    process, pod = Process(server), put_pod()
    server.calls.clear()

    (attempt,) = process.act(pod)

    assert attempt.refusal is not None
    assert (attempt.refusal.rail, len(server.calls)) == ("lease", 0)


def test_a_lease_lost_while_the_record_is_written_stops_the_call(
    server: ApiServer, clock: ManualClock, put_pod: PutPod
) -> None:
    process, pod = Process(server), put_pod()
    server.faults.add(After(lambda: clock.advance(11)), method="POST", path=RECORDS)

    (attempt,) = process.act(pod)

    assert (attempt.happened, calls(server)) == (False, 0)
    text = "not called: lease: this process does not hold the lease; seen after the record was written"
    assert records(server) == {"uid-web-0": ("Refused", text)}


def test_fc_080_a_leader_that_loses_the_lease_sends_no_further_eviction(
    server: ApiServer, clock: ManualClock, put_pod: PutPod
) -> None:
    process = Process(server)
    pods = [put_pod(f"web-{number}") for number in range(5)]
    server.faults.add(Unconnected(), path=LEASES, user="a", times=float("inf"))
    server.faults.add(After(lambda: None), path=EVICTIONS)
    server.faults.add(After(lambda: clock.advance(10)), path=EVICTIONS)

    attempts = process.act(*pods)

    assert [attempt.happened for attempt in attempts] == [True, True, False, False, False]
    assert {attempt.refusal.rail for attempt in attempts if attempt.refusal} == {"lease"}
    successor = Process(server, "b")
    clock.advance(16)
    successor.elector.step()
    assert len(successor.keeper.read().records) == 2
    assert successor.act(pods[2])[0].happened


def test_fc_080_a_dry_run_needs_no_lease_and_writes_nothing(server: ApiServer, put_pod: PutPod) -> None:
    Process(server, "leader")
    dry = Process(server, "dry", observing=True)
    pod = put_pod()
    server.calls.clear()

    (attempt,) = dry.act(pod)

    assert (attempt.happened, attempt.record) == (True, None)
    assert {call.verb for call in server.calls} == {"list", "get"}


def test_observing_with_the_lease_writes_observed_records_once_and_calls_nothing(
    server: ApiServer, put_pod: PutPod
) -> None:
    process, pod = Process(server, observing=True), put_pod()

    first, second = process.act(pod)[0], process.act(pod)[0]

    assert records(server) == {"observed-uid-web-0": ("Observed", "observed, not called")}
    assert (first.happened, second.happened, calls(server)) == (True, False, 0)


def test_observing_and_enforcing_take_the_same_path_up_to_the_call(server: ApiServer, put_pod: PutPod) -> None:
    seen: dict[bool, list[str]] = {}
    for observing in (True, False):
        process, pod = Process(server, f"p{observing}", observing=observing), put_pod()
        server.calls.clear()
        process.act(pod)
        seen[observing] = [f"{call.verb} {call.resource}" for call in server.calls]
        process.elector.release()

    assert seen[True] == [call for call in seen[False] if call != "create pods/eviction"]
