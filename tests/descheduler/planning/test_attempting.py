"""Attempts follow requests; a plan that failed lets the next one wait, longer each time."""

import time
from itertools import pairwise
from threading import Event, Thread

from descheduler.planning.desk import Asked
from policies.values.plans import PlanPhase
from simulator.clock import SteppingEvent
from tests.descheduler.planning.site import paper
from tests.descheduler.planning.under_way import attempts, started


def test_request_leads_to_a_plan() -> None:
    site = paper()
    process = started(site)
    process.desk.ask(Asked(trigger="periodic"))

    result = attempts(site, process).step(Event(), timeout=0)

    assert result is not None
    assert result.outcome == "Completed"
    assert not process.desk.busy


def test_without_a_request_nothing_happens() -> None:
    site = paper()
    process = started(site)

    assert attempts(site, process).step(Event(), timeout=0) is None


def test_failed_plans_let_the_next_one_wait_longer_each_time() -> None:
    site = paper()
    process = started(site)
    site.extenders["one"].deaf = True
    doing = attempts(site, process)
    stop = SteppingEvent(site.clock)
    at: list[float] = []
    while len(at) < 4:
        process.desk.ask(Asked(trigger="periodic"))
        result = doing.step(stop, timeout=0.5)
        process.tick()
        if result is not None:
            assert result.outcome == "Aborted"
            at.append(site.clock.monotonic())

    pauses = [later - earlier for earlier, later in pairwise(at)]
    assert [8 < pauses[0] < 16, 16 < pauses[1] < 24, 32 < pauses[2] < 40] == [True, True, True]


def test_failure_that_no_attempt_could_be_made_at_is_asked_about_again_a_moment_later() -> None:
    site = paper()
    started(site)
    standby = site.process("b")
    doing, stop = attempts(site, standby), SteppingEvent(site.clock)
    standby.desk.ask(Asked(trigger="scheduling-failure"))

    results = [doing.step(stop, timeout=0.5) for _ in range(4)]

    assert [None if result is None else result.outcome for result in results] == ["standby", None, None, "standby"]
    assert standby.desk.busy


def test_failure_whose_plan_failed_is_asked_about_again() -> None:
    site = paper()
    process = started(site)
    site.extenders["one"].deaf = True
    process.desk.ask(Asked(trigger="scheduling-failure"))

    result = attempts(site, process).step(Event(), timeout=0)

    assert result is not None
    assert result.outcome == "Aborted"
    assert process.desk.busy


def test_attempt_that_breaks_down_leaves_the_desk_free() -> None:
    site = paper()
    process = started(site)

    def fail(_: object) -> None:
        raise LookupError("no such berth")

    site.solver.meanwhile = fail
    process.desk.ask(Asked(trigger="periodic"))
    try:
        attempts(site, process).step(Event(), timeout=0)
    except LookupError:
        assert not process.desk.busy
    else:
        raise AssertionError("it did not break down")


def test_new_leader_closes_what_is_open_without_any_request() -> None:
    site = paper()
    process = started(site)
    site.extenders["one"].deaf = True
    process.attempt()
    path = f"/apis/bayplan.dev/v1alpha1/namespaces/bayplan-system/placementplans/{site.plan().name}"
    status = {"status": {"phase": "Evicting"}}
    site.server.request("PATCH", path, body=status, content_type="application/merge-patch+json")
    process.planner.succession.doubt()
    stop = Event()
    thread = Thread(target=attempts(site, process).run, args=(stop,))

    thread.start()

    ends = time.monotonic() + 20
    while not site.plan().phase.ended and time.monotonic() < ends:
        time.sleep(0.02)
    stop.set()
    process.desk.wake()
    thread.join(20)
    assert site.plan().phase is PlanPhase.ABORTED
    assert "its leader was gone" in site.plan().reason
