"""Plans as they are kept: a person's abort survives every write, the status is written seldom, old ones go."""

from dataclasses import replace

import pytest

from descheduler.planning.store import PlanStore, closed
from policies.values.plans import Plan, PlanAction, PlanEntry, PlanPhase, PlanProgress
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.failures import Failure
from simulator.faults import Delayed, Fail
from sources.kube.decoding.tolerant import MalformedObject

OWN = "bayplan-system"
ENTRY = PlanEntry(action=PlanAction.PLACE, namespace="shop", pod="web-0", uid="u1", target="n1")


@pytest.fixture
def store(server: ApiServer, clock: ManualClock) -> PlanStore:
    return PlanStore(server.connect("a"), namespace=OWN, clock=clock)


def abort(server: ApiServer, name: str, why: str) -> None:
    path = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/placementplans/{name}"
    server.request("PATCH", path, body={"spec": {"abort": why}}, content_type="application/merge-patch+json")


def writes(server: ApiServer) -> int:
    return len(server.calls.of("patch", "placementplans"))


def test_created_plan_has_what_the_server_gives(store: PlanStore) -> None:
    plan = store.create(Plan(name="p", entries=(ENTRY,)))

    assert plan.uid
    assert plan.resource_version
    assert store.read("p") == plan


def test_plan_that_is_as_it_was_is_not_decoded_again(server: ApiServer, store: PlanStore) -> None:
    store.create(Plan(name="p", entries=(ENTRY,)))
    store.create(Plan(name="q", entries=(ENTRY,)))
    first = store.read("p")

    assert store.read("p") is first
    abort(server, "p", "maintenance")
    again = store.read("p")
    assert again is not None
    assert again.abort == "maintenance"
    other = store.read("q")
    assert other is not None
    assert other.name == "q"


def test_abort_survives_entries_and_status(server: ApiServer, store: PlanStore) -> None:
    plan = store.create(Plan(name="p", revision=0))
    abort(server, "p", "maintenance")

    store.fill(replace(plan, revision=1, entries=(ENTRY,)))
    store.write(replace(plan, phase=PlanPhase.EVICTING))

    seen = store.read("p")
    assert seen is not None
    assert (seen.revision, seen.entries, seen.abort, seen.phase) == (1, (ENTRY,), "maintenance", PlanPhase.EVICTING)


def test_progress_is_written_once_a_second_and_a_phase_at_once(
    server: ApiServer, clock: ManualClock, store: PlanStore
) -> None:
    plan = replace(store.create(Plan(name="p", entries=(ENTRY,))), phase=PlanPhase.REALISING)

    store.progress(plan)
    store.progress(replace(plan, progress=PlanProgress(placed=1)))
    assert writes(server) == 1

    clock.advance(1)
    store.progress(replace(plan, progress=PlanProgress(placed=1)))
    assert writes(server) == 2
    clock.advance(1)
    store.progress(replace(plan, progress=PlanProgress(placed=1)))
    assert writes(server) == 2


def test_status_that_cannot_be_written_is_said(server: ApiServer, store: PlanStore) -> None:
    plan = store.create(Plan(name="p"))
    server.faults.add(Fail(Failure(500, "InternalError", "no")), method="PATCH")

    assert not store.write(plan)


def test_write_that_arrives_late_opens_no_closed_plan(server: ApiServer, clock: ManualClock, store: PlanStore) -> None:
    plan = store.create(Plan(name="p", phase=PlanPhase.INSTALLING))
    server.faults.add(Delayed(20.0), method="PATCH")
    assert not store.write(replace(plan, phase=PlanPhase.EVICTING))
    assert store.write(closed(plan, PlanPhase.ABORTED, "no answer", at=clock.now()))

    clock.advance(30)

    seen = store.read("p")
    assert seen is not None
    assert seen.phase is PlanPhase.ABORTED


def test_progress_does_not_open_a_plan_that_somebody_closed(
    server: ApiServer, clock: ManualClock, store: PlanStore
) -> None:
    plan = store.create(Plan(name="p", phase=PlanPhase.INSTALLING))
    leader = PlanStore(server.connect("b"), namespace=OWN, clock=clock)
    (seen,) = leader.all()
    assert leader.write(closed(seen, PlanPhase.ABORTED, "its leader was gone", at=clock.now()))

    assert not store.write(replace(plan, phase=PlanPhase.EVICTING))

    assert store.read("p") == leader.read("p")


def test_plan_that_is_gone_is_none(store: PlanStore) -> None:
    assert store.read("p") is None


def test_plan_that_cannot_be_read_is_left_out_of_all(server: ApiServer, store: PlanStore) -> None:
    store.create(Plan(name="p"))
    server.put(
        {
            "apiVersion": "bayplan.dev/v1alpha1",
            "kind": "PlacementPlan",
            "metadata": {"name": "odd", "namespace": OWN},
            "spec": {},
        }
    )

    assert [plan.name for plan in store.all()] == ["p"]
    with pytest.raises(MalformedObject, match="odd"):
        store.read("odd")


def test_plan_that_cannot_be_deleted_is_said(server: ApiServer, store: PlanStore) -> None:
    plan = store.create(Plan(name="p"))
    server.faults.add(Fail(Failure(500, "InternalError", "no")), method="DELETE")

    assert not store.delete(plan)
    assert store.delete(plan)
    assert store.delete(plan)
    assert store.all() == ()
