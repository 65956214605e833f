"""Events: one object each, counted instead of repeated, bounded, and never an obstacle."""

from descheduler import eventing
from descheduler.eventing import EventWriter, Notice
from policies.values.workloads import WorkloadRef
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import Fail
from tests.builders import make_pod
from tests.descheduler.builders import WEB


def writer(server: ApiServer, *, most: int = 40) -> EventWriter:
    """Return the writer of one run."""
    return EventWriter(server, instance="pod-1", clock=server.clock, most=most)


def refused(name: str = "web-0", *, key: str = "pdb", message: str = "0 allowed") -> Notice:
    """Return a refusal on a pod."""
    return eventing.about_pod(make_pod(name), reason="EvictionRefused", message=message, key=key)


def test_an_event_names_its_object_and_its_writer(server: ApiServer) -> None:
    written = writer(server).tell([refused(), eventing.about_workload(WEB, "uid-web", reason="Evicting", message="m")])

    pod_event, workload_event = sorted(
        server.all("events"), key=lambda event: event["involvedObject"]["kind"], reverse=True
    )
    assert written == 2
    assert pod_event["involvedObject"] == {
        "kind": "Pod",
        "namespace": "default",
        "name": "web-0",
        "uid": "uid-web-0",
        "apiVersion": "v1",
    }
    assert workload_event["involvedObject"]["apiVersion"] == "apps/v1"
    assert (pod_event["source"]["component"], pod_event["reportingInstance"]) == ("bayplan-descheduler", "pod-1")
    assert (pod_event["count"], pod_event["lastTimestamp"]) == (1, "2027-01-15T08:00:00Z")


def test_the_same_refusal_is_told_again_only_after_a_while(server: ApiServer, clock: ManualClock) -> None:
    events = writer(server)

    told = []
    for pause in (0, 300, 300):
        clock.advance(pause)
        told.append(events.tell([refused(message=f"{pause} allowed")]))

    assert told == [1, 0, 1]
    (event,) = server.all("events")
    assert (event["count"], event["message"], event["lastTimestamp"]) == (2, "300 allowed", "2027-01-15T08:10:00Z")


def test_a_run_without_memory_counts_up_the_last_runs_event(server: ApiServer) -> None:
    for _ in range(3):
        writer(server).tell([refused()])

    assert [event["count"] for event in server.all("events")] == [3]


def test_other_rails_and_other_pods_are_other_events(server: ApiServer) -> None:
    writer(server).tell([refused(), refused(key="ready-floor"), refused("web-1"), refused()])

    assert len(server.all("events")) == 3


def test_a_flood_is_cut_and_counted(server: ApiServer) -> None:
    events = writer(server, most=2)

    assert events.tell(refused(f"web-{number}") for number in range(5)) == 2
    assert events.left_out == 3


def test_what_was_told_is_forgotten_in_the_end(server: ApiServer) -> None:
    events = writer(server, most=1)

    for number in range(150):
        events.tell([refused(f"web-{number}")])

    assert events.tell([refused("web-0")]) == 1
    assert events.tell([refused("web-149")]) == 0


def test_an_event_that_cannot_be_written_is_counted_and_tried_again(server: ApiServer) -> None:
    events = writer(server)
    server.faults.add(Fail(Failure(403, "Forbidden", "no right")), path="*/events")

    assert (events.tell([refused()]), events.failed) == (0, 1)
    assert events.tell([refused()]) == 1


def test_long_messages_and_names_are_cut_to_what_the_api_takes(server: ApiServer) -> None:
    long = eventing.about_workload(WorkloadRef("Rollout", "default", "x" * 253), "u", reason="R", message="m" * 5000)

    assert writer(server).tell([long]) == 1
    (event,) = server.all("events")
    assert len(event["metadata"]["name"]) <= 253
    assert len(event["message"]) == 1024
    assert "apiVersion" not in event["involvedObject"]
