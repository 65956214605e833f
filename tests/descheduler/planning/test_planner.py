"""Attempts: blocking and observed ones, what is left alone, and what a new leader does with what it finds."""

from typing import Any

import pytest

from descheduler.optimiser.solution import Proof
from policies.values.plans import Plan, PlanPhase, PlanSlot
from simulator.failures import Failure
from simulator.faults import Before, Fail
from sources.kube.plans import encode_plan, encode_slot
from tests.descheduler.planning.site import OWN, Process, Site, paper, plan_policy
from tests.descheduler.planning.under_way import in_phase, released, started
from tests.raw import raw_pod

# ---------------------------------------------------------------------- blocking


def blocking(**plan: Any) -> Site:
    return paper(policy=plan_policy(blocking=True, **plan))


def test_blocking_run_holds_everybody_until_the_plan_is_there() -> None:
    site = blocking()
    held: list[bool] = []
    site.solver.meanwhile = lambda _: held.append(site.extenders["one"].holding)

    result = started(site).attempt()

    assert (result.outcome, held) == ("Completed", [True])
    uid = site.plan().uid
    site.wait(1)
    assert [shown for _, shown in site.extenders["one"].history] == [f"{uid}/0", f"{uid}/1", ""]
    released(site)


def test_blocking_run_solves_on_what_it_sees_after_the_acknowledgement_for_two_seconds_at_most() -> None:
    site = blocking()
    site.server.faults.add(
        Before(lambda: site.server.put(raw_pod("late", node="n1", cpu=10, workload="late", owner=None))),
        method="POST",
        path="*/placementplans",
    )

    started(site).attempt()

    (problem,) = site.solver.asked
    room = {one.name: dict(zip(problem.resources, one.room, strict=True))["cpu"] for one in problem.sites}
    assert room == {"n1": 990, "n2": 1000}
    assert site.solver.options[0].time_limit <= 2


def test_blocking_run_without_a_better_plan_leaves_nothing_behind() -> None:
    site = blocking()
    site.solver.goes = {}
    site.solver.proof = Proof.NOTHING_BETTER

    result = started(site).attempt()

    assert (result.outcome, site.plans()) == ("nothing-better", [])
    released(site)


def test_blocking_run_that_nobody_acknowledges_is_shown_and_solves_nothing() -> None:
    site = blocking()
    site.extenders["one"].deaf = True

    result = started(site).attempt()

    assert result.outcome == "Aborted"
    assert site.plan().reason == "not acknowledged within 5 s: replica one does not show the plan"
    assert site.solver.asked == []
    released(site)


def test_blocking_run_that_fails_half_way_frees_everything() -> None:
    site = blocking()

    def fail(_: object) -> None:
        raise LookupError("no such berth")

    site.solver.meanwhile = fail
    process = started(site)

    with pytest.raises(LookupError):
        process.attempt()

    assert site.slot().plan is None
    with process.gate.single() as refusal:
        assert refusal is None
    assert process.planner.ready()
    released(site)


def test_plan_whose_entries_cannot_be_written_is_closed() -> None:
    site = blocking()
    process = started(site)
    site.solver.meanwhile = lambda _: site.server.faults.add(
        Fail(Failure(500, "InternalError", "no")), method="PATCH", path="*/placementplans/*"
    )

    result = process.attempt()

    assert result.outcome == "Aborted"
    assert "the plan could not be written" in result.detail
    assert site.evictions() == []
    released(site)


# ---------------------------------------------------------------------- observing


def test_observed_plan_is_shown_and_changes_nothing() -> None:
    site = paper(policy=plan_policy(mode="observe"))

    result = started(site).attempt()

    plan = site.plan()
    assert (result.outcome, plan.phase, plan.observing) == ("observed", PlanPhase.COMPLETED, True)
    assert [(entry.pod, entry.target) for entry in plan.entries] == [("pod3-0", "n1"), ("pod4-0", "n2")]
    assert (site.evictions(), site.slot().plan) == ([], None)
    assert site.records() == {"observed-uid-pod3-0": "Observed"}
    assert site.events("PlanObserved") == ["would place 1, move 1, evict 0 pods (trigger periodic)"]


def test_observing_without_the_lease_writes_nothing_but_events() -> None:
    site = paper(policy=plan_policy(mode="observe"))
    started(site)
    second = site.process("b")
    before = len(site.server.calls)

    result = second.attempt()

    assert result.outcome == "observed"
    writes = {call.resource for call in list(site.server.calls)[before:] if call.method != "GET"}
    assert writes == {"events"}
    assert (site.plans(), site.records()) == ([], {})


def test_observed_state_is_solved_once() -> None:
    site = paper(policy=plan_policy(mode="observe", eviction={"minPodAge": "0s", "limits": []}))
    process = started(site)
    process.attempt()
    site.server.remove("evictionrecords", "observed-uid-pod3-0", OWN)

    assert process.attempt().outcome == "same-state"


# ---------------------------------------------------------------------- nothing to do


def test_nobody_pending_is_nothing_to_solve() -> None:
    site = Site()
    site.node("n1")
    site.workload("web", "n1")

    assert started(site).attempt().outcome == "nothing-pending"
    assert site.solver.asked == []


@pytest.mark.parametrize(("proof", "times"), [(Proof.NOTHING_BETTER, 1), (Proof.NOTHING_FOUND, 3)])
def test_same_state_is_solved_once_if_proven_and_three_times_if_not(proof: Proof, times: int) -> None:
    site = paper()
    site.solver.goes, site.solver.proof = {}, proof
    process = started(site)

    outcomes = [process.attempt().outcome for _ in range(5)]

    assert outcomes == [str(proof)] * times + ["same-state"] * (5 - times)
    assert len(site.solver.asked) == times
    site.node("n3", cpu=100)
    site.wait(1)
    assert process.attempt().outcome == str(proof)


def test_cancelled_solve_is_no_plan_and_proves_nothing() -> None:
    site = paper()
    process = started(site)
    site.solver.meanwhile = lambda _: process.desk.cancel()

    assert process.attempt().outcome == "cancelled"
    assert site.plans() == []

    site.solver.meanwhile = None
    process.desk = type(process.desk)()
    assert process.attempt().outcome == "Completed"


def test_pods_that_cannot_be_listed_are_no_state_to_solve() -> None:
    site = paper()
    process = started(site)
    process.planner.ready()
    site.server.faults.add(Fail(Failure(403, "Forbidden", "no")), method="GET", path="/api/v1/pods")

    result = process.attempt()

    assert result.outcome == "unreadable"
    assert result.detail.startswith("pods: ")


def test_ledger_that_cannot_be_read_stops_everything() -> None:
    site = paper()
    process = started(site)
    site.server.faults.add(Fail(Failure(403, "Forbidden", "no")), method="GET", path="*/evictionrecords")

    assert process.attempt().outcome == "unreadable"


def test_plan_that_cannot_be_created_leaves_nothing() -> None:
    site = paper()
    process = started(site)
    site.server.faults.add(Fail(Failure(500, "InternalError", "no")), method="POST", path="*/placementplans")

    result = process.attempt()

    assert (result.outcome, site.plans()) == ("unreadable", [])
    with process.gate.single() as refusal:
        assert refusal is None


# ---------------------------------------------------------------------- a new leader


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
