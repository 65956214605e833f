"""The report: last run and totals, bounded, and never in the way."""

import math

import pytest

from descheduler import reporting
from descheduler.decisions import CycleResult, Decision, Kind
from descheduler.reporting import Reporter
from policies.values.plans import Plan, PlanPhase
from policies.values.records import Landing
from simulator.api_server import ApiServer
from simulator.failures import Failure
from simulator.faults import Before, Fail, Unconnected
from tests.builders import NOW, make_pod
from tests.descheduler.builders import landed, make_record


def line(kind: Kind = Kind.REFUSED, *, rail: str = "pdb", message: str = "0 allowed") -> Decision:
    """Return the decision on one pod."""
    return Decision(kind=kind, rule="buoyancy", trouble="n1 hot", node="n1", pod=make_pod(), rail=rail, message=message)


def result(*lines: Decision, **changes: object) -> CycleResult:
    """Return a cycle."""
    return CycleResult(
        at=NOW,
        mode="enforce",
        policy_hash="abc",
        leading=True,
        decisions=lines,
        **changes,  # type: ignore[arg-type]  # any field
    )


def status(server: ApiServer) -> dict[str, object]:
    """Return what the report says."""
    report = server.find("deschedulerreports", "descheduler", "bayplan-system")
    assert report is not None
    found: dict[str, object] = report["status"]
    return found


def test_totals_grow_over_runs_and_the_last_run_is_replaced(server: ApiServer) -> None:
    reporter = Reporter(server, namespace="bayplan-system")
    moved = ((make_record(), landed(Landing.MOVED)),)

    assert reporter.write(result(line(), line(Kind.EVICTED), troubles={"signals": "none"}))
    assert reporter.write(result(line(rail="limits"), line(), landed=moved))

    assert status(server)["totals"] == {
        "cycles": 2,
        "refusals/pdb": 2,
        "refusals/limits": 1,
        "evictions/buoyancy/evicted": 1,
        "outcomes/buoyancy/Moved": 1,
        "troubles/signals": 1,
    }
    last = status(server)["lastRun"]
    assert isinstance(last, dict)
    assert last["refusals"] == {"limits": 1, "pdb": 1}
    assert last["at"] == "2027-01-15T08:00:00.000000Z"


def test_a_long_run_is_cut_and_keeps_its_victims() -> None:
    lines = [line(message="m" * 5000)] * 150 + [line(Kind.EVICTED)]

    last = reporting.last_run(result(*lines))

    assert (len(last["decisions"]), last["omitted"]) == (100, 51)
    assert last["decisions"][0]["decision"] == "evicted"
    assert len(last["decisions"][1]["message"]) == 512
    assert last["refusals"] == {"pdb": 150}


def test_totals_that_are_no_numbers_are_begun_anew() -> None:
    assert reporting.added({"cycles": "many", "refusals/pdb": 3}, result()) == {"refusals/pdb": 3, "cycles": 1}


@pytest.mark.parametrize("fault", [Unconnected(), Fail(Failure(409, "Conflict", "changed meanwhile"))])
def test_a_report_that_cannot_be_written_stops_nothing(
    server: ApiServer, caplog: pytest.LogCaptureFixture, fault: Fail
) -> None:
    reporter = Reporter(server, namespace="bayplan-system")
    reporter.write(result())
    server.faults.add(fault, method="PUT", times=math.inf)

    assert not reporter.write(result())
    assert "the report was not written: " in caplog.text


def test_a_plan_and_a_run_that_write_at_once_lose_neither(server: ApiServer) -> None:
    reporter = Reporter(server, namespace="bayplan-system")
    reporter.write(result())
    plan = Plan(name="plan-1", trigger="periodic", phase=PlanPhase.ABORTED, reason="x" * 1000)
    server.faults.add(Before(lambda: reporter.write_plan(plan, outcome="Aborted")), method="PUT")

    assert reporter.write(result())

    report = server.find("deschedulerreports", "descheduler", "bayplan-system")
    assert report is not None
    assert report["status"]["totals"] == {"cycles": 2, "plans/periodic/Aborted": 1}
    assert (report["status"]["lastPlan"]["name"], len(report["status"]["lastPlan"]["reason"])) == ("plan-1", 512)


def test_a_plan_may_be_the_first_thing_in_a_report(server: ApiServer) -> None:
    reporter = Reporter(server, namespace="bayplan-system")

    assert reporter.write_plan(Plan(name="plan-1", trigger="once"), outcome="observed")

    report = server.find("deschedulerreports", "descheduler", "bayplan-system")
    assert report is not None
    assert report["status"]["totals"] == {"plans/once/observed": 1}
