"""Attempts that change nothing: observed ones, and those that have nothing to solve or cannot be made."""

import pytest

from descheduler.optimiser.solution import Proof
from policies.values.plans import PlanPhase
from simulator.failures import Failure
from simulator.faults import Fail
from tests.descheduler.planning.site import OWN, Site, paper, plan_policy
from tests.descheduler.planning.under_way import started

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
