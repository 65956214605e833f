"""Requests that waited until nobody wants them any more: plans were switched off, or the heat has gone."""

from threading import Event

import pytest

from descheduler.planning.desk import Asked, of_relief
from descheduler.planning.problems.measured import Measured
from simulator.faults import After
from tests.descheduler.planning.problems.loaded import standing
from tests.descheduler.planning.site import Site, paper, plan_policy
from tests.descheduler.planning.under_way import attempts, started, two_victims

MEASURED = Measured(standings={"n2": standing("n2", 0.95)})


@pytest.mark.parametrize("trigger", ["periodic", "scheduling-failure", "stable-queue"])
def test_request_that_waited_until_plans_were_switched_off_moves_nobody(trigger: str) -> None:
    site = paper()
    process = started(site)
    process.desk.ask(Asked(trigger=trigger))
    site.policy, site.policy_hash = plan_policy(trigger="off"), "off"

    result = attempts(site, process).step(Event(), timeout=0)

    assert result is not None
    assert (result.outcome, site.plans(), site.evictions()) == ("unwanted", [], [])
    assert not process.desk.busy


def test_request_for_relief_that_waited_until_relief_was_switched_off_moves_nobody() -> None:
    site = paper(policy=plan_policy(relief=False))
    process = started(site)
    process.desk.ask(of_relief([["uid-pod3-0"]], MEASURED, at=site.clock.monotonic()))

    result = attempts(site, process).step(Event(), timeout=0)

    assert result is not None
    assert (result.outcome, site.evictions()) == ("unwanted", [])


def relief() -> Site:
    site = Site(policy=plan_policy(relief=True))
    site.node("n1", "n2")
    site.workload("pod3", "n2", cpu=400, grace_seconds=2)
    site.solver.goes = {"pod3-0": "n1"}
    return site


def test_heat_of_a_minute_ago_relieves_nobody() -> None:
    site = relief()
    process = started(site)
    process.desk.ask(of_relief([["uid-pod3-0"]], MEASURED, at=site.clock.monotonic()))
    site.wait(61)

    result = attempts(site, process).step(Event(), timeout=0)

    assert result is not None
    assert (result.outcome, site.evictions()) == ("outdated", [])
    assert not site.solver.asked


def test_heat_that_is_still_fresh_is_relieved() -> None:
    site = relief()
    process = started(site)
    process.desk.ask(of_relief([["uid-pod3-0"]], MEASURED, at=site.clock.monotonic()))
    site.wait(20)

    result = attempts(site, process).step(Event(), timeout=0)

    assert result is not None
    assert (result.outcome, site.evictions()) == ("Completed", ["pod3-0"])


def test_heat_that_grows_old_during_the_solve_relieves_nobody() -> None:
    site = relief()
    process = started(site)
    process.desk.ask(of_relief([["uid-pod3-0"]], MEASURED, at=site.clock.monotonic()))
    site.solver.meanwhile = lambda _: site.wait(61)

    result = attempts(site, process).step(Event(), timeout=0)

    assert result is not None
    assert (result.outcome, site.evictions()) == ("Aborted", [])
    assert "more than 60 s ago" in result.detail


def test_heat_that_grows_old_between_two_evictions_lets_the_second_stay() -> None:
    site = two_victims()
    site.policy = plan_policy(relief=True, realiseWithin="5s")
    process = started(site)
    at = site.clock.monotonic()
    process.desk.ask(of_relief([["uid-one-0"], ["uid-two-0"]], MEASURED, at=at))
    site.server.faults.add(After(lambda: site.wait(60)), path="*/eviction")

    result = attempts(site, process).step(Event(), timeout=0)

    assert result is not None
    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)


def test_figures_of_a_cycle_long_ago_weigh_in_no_plan() -> None:
    site = paper()
    process = started(site)
    process.desk.tell(MEASURED, at=site.clock.monotonic())
    site.wait(61)
    process.desk.ask(Asked(trigger="periodic"))

    attempts(site, process).step(Event(), timeout=0)

    (problem,) = site.solver.asked
    assert [site.accepts for site in problem.sites] == [True, True]


def test_figures_of_the_last_cycle_weigh_in_a_plan() -> None:
    site = paper()
    process = started(site)
    process.desk.tell(MEASURED, at=site.clock.monotonic())
    process.desk.ask(Asked(trigger="periodic"))

    attempts(site, process).step(Event(), timeout=0)

    (problem,) = site.solver.asked
    assert [site.accepts for site in problem.sites] == [True, False]
