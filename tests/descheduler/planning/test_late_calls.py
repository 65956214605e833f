"""Calls of a paused leader that arrive once another one leads: nothing of them stays, nothing is torn down."""

from typing import Any

import pytest

from policies.values.plans import Plan, PlanPhase, PlanSlot
from simulator.faults import After, Before
from sources.kube.plans import encode_plan, encode_slot
from tests.descheduler.planning.site import OWN, Process, Site, paper
from tests.descheduler.planning.under_way import released, started

BASE = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}"


def late_plan(site: Site) -> Plan:
    """Let the creation of a dead leader's plan arrive."""
    plan = Plan(name="late", phase=PlanPhase.INSTALLING, writer="dead", trigger="periodic")
    site.server.request("POST", f"{BASE}/placementplans", body=encode_plan(plan, OWN))
    return next(plan for plan in site.plans() if plan.name == "late")


def late_slot(site: Site, plan: Plan) -> None:
    """Let a dead leader's plan arrive in the slot."""
    slot = PlanSlot(plan=plan.name, plan_uid=plan.uid, revision=plan.revision, holder="dead", renewal=7)
    body: dict[str, Any] = encode_slot(slot, OWN)
    site.server.request("POST", f"{BASE}/planslots", body=body)


@pytest.mark.parametrize("taken", [False, True], ids=["its plan", "its plan in the slot"])
def test_what_a_dead_leader_left_behind_late_is_gone_within_a_minute(*, taken: bool) -> None:
    site = paper()
    process = started(site)
    assert process.planner.ready()
    plan = late_plan(site)
    if taken:
        late_slot(site, plan)

    for _ in range(31):
        site.wait(2)
        assert process.planner.ready()

    assert site.plan().reason == "its leader was gone in Installing, before anything was decided"
    assert site.evictions() == []
    released(site)


def test_slot_that_was_taken_late_stops_one_plan_and_no_other() -> None:
    site = paper()
    process = started(site)
    assert process.planner.ready()
    late_slot(site, Plan(name="closed", uid="u"))

    assert process.attempt().detail == "the slot holds the plan closed of dead"
    assert site.evictions() == []
    assert process.attempt().outcome == "Completed"
    released(site)


def overtaken_while(site: Site, first: Process, second: Process) -> Any:
    """Return what makes `second` the leader, with a plan under way, while `first` stands still in a call."""

    def happen() -> None:
        first.frozen = True
        for _ in range(60):
            site.wait(1)
            if second.planner.ready():
                break
        plan = late_plan(site)
        second.slot.take(plan)
        first.frozen = False

    return happen


@pytest.mark.parametrize("path", ["*/planslots/active", "*/placementplans", "*/pods"])
def test_leader_that_is_overtaken_while_it_reads_closes_nothing_of_the_next_one(path: str) -> None:
    site = paper()
    late_slot(site, Plan(name="gone", uid="u"))
    late = Plan(name="open", phase=PlanPhase.EVICTING, writer="dead", trigger="periodic")
    site.server.request("POST", f"{BASE}/placementplans", body=encode_plan(late, OWN))
    first, second = started(site), site.process("b")
    fault = After if path == "*/pods" else Before
    site.server.faults.add(fault(overtaken_while(site, first, second)), path=path, method="GET")

    assert not first.planner.ready()

    assert {plan.name: plan.phase for plan in site.plans()} == {
        "open": PlanPhase.ABORTED,
        "late": PlanPhase.INSTALLING,
    }
    assert site.slot().plan == "late"
    assert second.slot.renew()
