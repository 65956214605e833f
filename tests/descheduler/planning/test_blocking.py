"""Blocking attempts: everybody is held while a plan is computed, for two seconds at most, and nobody afterwards."""

from typing import Any

import pytest

from descheduler.optimiser.solution import Proof
from simulator.failures import Failure
from simulator.faults import Before, Fail
from tests.descheduler.planning.site import Site, paper, plan_policy
from tests.descheduler.planning.under_way import released, started
from tests.raw import raw_pod


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
