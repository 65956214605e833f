"""What a new leader does with the plans that it finds, and one that was paused once another one leads."""

from typing import Any

import pytest

from policies.values.plans import Plan, PlanPhase, PlanSlot
from simulator.failures import Failure
from simulator.faults import Before, Fail
from sources.kube.plans import encode_plan, encode_slot
from tests.descheduler.planning.site import OWN, Process, Site, paper
from tests.descheduler.planning.under_way import in_phase, released, started


def left_behind(site: Site, phase: PlanPhase, **changes: Any) -> Plan:
    """Put a plan of a dead leader into the cluster, in the slot."""
    base = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}"
    entries = changes.pop("entries", ())
    plan = Plan(name="old", phase=phase, entries=entries, writer="dead", trigger="periodic", **changes)
    site.server.request("POST", f"{base}/placementplans", body=encode_plan(plan, OWN))
    made = site.plan()
    slot = PlanSlot(plan="old", plan_uid=made.uid, revision=made.revision, holder="dead", renewal=7)
    site.server.request("POST", f"{base}/planslots", body=encode_slot(slot, OWN))
    return made


@pytest.mark.parametrize("phase", [phase for phase in PlanPhase if not phase.ended])
def test_new_leader_closes_what_is_open_and_resumes_nothing(phase: PlanPhase) -> None:
    site = paper()
    left_behind(site, phase, revision=0 if phase is PlanPhase.COMPUTING else 1)
    process = started(site)

    assert process.planner.ready()

    assert site.plan().phase is PlanPhase.ABORTED
    assert "its leader was gone" in site.plan().reason
    assert site.evictions() == []
    released(site)


def test_plan_whose_pods_are_all_bound_is_completed_by_the_next_leader() -> None:
    site = paper()
    first = started(site)
    first.attempt()
    done = site.plan()
    site.server.remove("placementplans", done.name, OWN)
    site.server.remove("planslots", "active", OWN)
    left_behind(site, PlanPhase.REALISING, entries=done.entries, quotas=done.quotas, headcounts=done.headcounts)
    first.frozen = True
    site.wait(20)
    second = site.process("b")
    second.pause(20)

    assert second.planner.ready()

    assert site.plan().phase is PlanPhase.COMPLETED


def test_what_cannot_be_closed_keeps_a_new_leader_from_planning() -> None:
    site = paper()
    left_behind(site, PlanPhase.EVICTING)
    process = started(site)
    site.server.faults.add(Fail(Failure(500, "InternalError", "no")), method="PATCH", path="*/placementplans/*")

    assert process.attempt().outcome == "standby"
    assert process.attempt().outcome == "Completed"


def test_plan_whose_end_could_not_be_written_is_closed_before_the_next_one() -> None:
    site = paper()
    process = started(site)
    site.extenders["one"].deaf = True
    refused = Fail(Failure(500, "InternalError", "no"))
    site.server.faults.add(refused, method="PATCH", path="*/placementplans/*", times=3)
    why = process.attempt().detail
    assert not site.plan().phase.ended
    site.extenders["one"].deaf = False

    assert process.attempt().outcome == "Completed"

    assert [(plan.phase, plan.reason) for plan in site.plans()] == [
        (PlanPhase.ABORTED, why),
        (PlanPhase.COMPLETED, "every wanted pod is bound"),
    ]
    assert site.events("PlanAborted")[0] == why
    assert process.count("plan_ends_total", reason="taken-over") == 0


def test_only_the_last_twenty_finished_plans_are_kept() -> None:
    site = paper()
    process = started(site)
    site.extenders["one"].deaf = True

    for _ in range(23):
        process.attempt()

    assert len(site.plans()) == 20


# ---------------------------------------------------------------------- two processes


def taken_over(site: Site, phase: PlanPhase) -> tuple[Process, Process, list[str]]:
    """Let a leader be paused in a phase until another one has taken over, and then go on."""
    first = started(site)
    second = site.process("b")
    closed: list[str] = []

    def meanwhile() -> None:
        first.frozen = True
        for _ in range(60):
            site.wait(1)
            if second.planner.ready():
                break
        closed.extend(str(plan.phase) for plan in site.plans())
        first.frozen = False

    in_phase(site, phase, meanwhile)
    return first, second, closed


@pytest.mark.parametrize("phase", [PlanPhase.INSTALLING, PlanPhase.EVICTING, PlanPhase.REALISING])
def test_paused_leader_does_nothing_more_once_another_one_leads(phase: PlanPhase) -> None:
    site = paper()
    first, _, closed = taken_over(site, phase)
    if phase is PlanPhase.REALISING:
        site.scheduler.paused = True
        site.clock.call_after(100, lambda: setattr(site.scheduler, "paused", False))

    result = first.attempt()

    assert result.outcome == "Aborted"
    assert closed in (["Aborted"], ["Completed"])
    asked = site.server.calls.of("create", "pods/eviction")
    assert len(asked) == (0 if phase is PlanPhase.INSTALLING else 1)
    assert site.slot().plan is None


def test_no_eviction_after_a_replica_dropped_the_plan() -> None:
    site = paper()
    first = started(site)
    dropped: list[str] = []

    def pause() -> None:
        site.clock.advance(30)  # the whole process stands still; the cluster does not
        dropped.append(site.extenders["one"].dropped)

    site.server.faults.add(Before(pause), path="*/pods/pod3-0", method="GET")

    result = first.attempt()

    assert dropped == [site.plan().version]
    assert (result.outcome, site.evictions()) == ("Aborted", [])


def test_replaced_process_finds_the_pairs_that_rest() -> None:
    site = paper()
    first = started(site)
    in_phase(site, PlanPhase.EVICTING, lambda: setattr(site.scheduler, "paused", True))
    assert first.attempt().outcome == "TimedOut"
    first.frozen = True
    second = site.process("b")
    second.pause(20)

    assert second.planner.ready()

    assert len(second.planner.succession.resting(site.loaded, site.clock.now())) == 1
