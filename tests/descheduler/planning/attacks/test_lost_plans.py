"""Plans that get lost: found and not carried out, asked for and forgotten, never ended; and what piles up of them."""

from threading import Event

import pytest

from descheduler.planning.desk import Asked
from policies.values.plans import PlanPhase
from simulator.failures import Failure
from simulator.faults import Before, Fail
from tests.descheduler.planning.replica import FakeReplica
from tests.descheduler.planning.site import paper, plan_policy
from tests.descheduler.planning.under_way import PATH, attempts, started


def test_plan_that_a_cycle_kept_from_beginning_is_made_again() -> None:
    """The state was solved and the answer proven; it has not happened, though."""
    site = paper()
    process = started(site)
    with process.gate.single():
        assert process.attempt().outcome == "busy"

    assert process.attempt().outcome == "Completed"


def test_plan_that_could_not_be_created_is_made_again() -> None:
    site = paper()
    process = started(site)
    site.server.faults.add(Fail(Failure(500, "InternalError", "no")), method="POST", path="*/placementplans")
    assert process.attempt().outcome == "unreadable"

    assert process.attempt().outcome == "Completed"


def test_failure_is_asked_about_again_after_an_attempt_that_broke_down() -> None:
    site = paper()
    process = started(site)

    def fail(_: object) -> None:
        raise LookupError("no such berth")

    site.solver.meanwhile = fail
    process.desk.ask(Asked(trigger="scheduling-failure"))
    with pytest.raises(LookupError):
        attempts(site, process).step(Event(), timeout=0)

    assert process.desk.busy


def test_plan_that_broke_down_and_could_not_be_closed_is_closed_before_the_next_one() -> None:
    site = paper()
    process = started(site)

    def down() -> None:
        site.server.faults.add(Fail(Failure(500, "InternalError", "no")), path="*/placementplans/*", times=99)
        raise LookupError("no such berth")

    site.server.faults.add(Before(down), path="*/eviction")
    with pytest.raises(LookupError):
        process.attempt()
    site.server.faults.clear()
    assert not site.plan().phase.ended

    assert process.planner.ready()
    assert site.plan().phase is PlanPhase.ABORTED


def test_blocking_runs_that_nobody_acknowledges_do_not_pile_up() -> None:
    site = paper(policy=plan_policy(blocking=True))
    site.extenders["one"].deaf = True
    process = started(site)

    for _ in range(24):
        assert process.attempt().outcome == "Aborted"

    assert len(site.plans()) == 20


def test_replicas_that_come_and_go_keep_no_plan_waiting_for_ever() -> None:
    site = paper()
    process = started(site)
    count = 0

    def another() -> None:
        """Let a Lease be renewed by nobody, and another one every few seconds."""
        nonlocal count
        count += 1
        FakeReplica(site.server, f"{count}").dead = True
        site.clock.call_after(3, another)

    another()
    began = site.clock.monotonic()

    assert process.attempt().outcome == "Aborted"
    assert site.clock.monotonic() - began < 30


def test_leader_that_is_none_any_more_puts_no_plan_into_the_slot() -> None:
    """Whoever leads now has emptied the slot and looks into it no more."""
    site = paper()
    process = started(site)

    def lapse() -> None:
        process.frozen = True
        site.wait(12)

    site.server.faults.add(Before(lapse), path="*/placementplans", method="POST")

    assert process.attempt().outcome == "Aborted"

    assert [str(call) for call in site.server.calls if call.resource == "planslots" and call.verb != "get"] == []


def test_create_that_arrives_late_is_still_waited_for_after_another_plan() -> None:
    """A plan that nobody carries out must not stay open: its creation had no answer, and the next one failed."""
    site = paper()
    process = started(site)
    process.planner.succession.doubt(for_=70)
    process.planner.succession.doubt()
    site.wait(10)
    assert process.planner.ready()
    late = {"apiVersion": "bayplan.dev/v1alpha1", "kind": "PlacementPlan", "metadata": {"name": "late"}}
    site.server.request("POST", PATH, body=late | {"spec": {"revision": 1}, "status": {"phase": "Installing"}})

    process.attempt()

    assert all(plan.phase.ended for plan in site.plans())


def test_phase_that_cannot_be_written_lets_nobody_be_evicted() -> None:
    site = paper()
    process = started(site)
    site.server.faults.add(
        Fail(Failure(500, "InternalError", "no")), path="*/placementplans/*", method="PATCH", times=4
    )

    assert process.attempt().outcome == "Aborted"

    assert site.evictions() == []
    assert site.plan().phase is PlanPhase.ABORTED


@pytest.mark.parametrize("code", [403, 429, 500, 504])
def test_status_that_cannot_be_written_is_tried_once_a_second(code: int) -> None:
    site = paper(policy=plan_policy(realiseWithin="10s"))
    process = started(site)
    site.scheduler.paused = True
    site.server.faults.add(Before(lambda: None), path="*/placementplans/*", method="PATCH")
    site.server.faults.add(
        Fail(Failure(code, "Whatever", "no")), path="*/placementplans/*", method="PATCH", times=10**6
    )
    before = len(site.server.calls)
    began = site.clock.monotonic()

    process.attempt()

    tried = [
        call for call in list(site.server.calls)[before:] if call.resource == "placementplans" and call.verb == "patch"
    ]
    phases = 3
    assert len(tried) <= site.clock.monotonic() - began + phases
