"""What stops a plan between its evictions: people, refusals, budgets, replicas, answers that got lost."""

from policies.values.plans import PlanPhase
from simulator.failures import Failure
from simulator.faults import After, Before, Delayed, Fail, LostAnswer
from tests.descheduler.planning.replica import FakeReplica
from tests.descheduler.planning.site import OWN, paper
from tests.descheduler.planning.under_way import abort, in_phase, released, started, two_victims
from tests.raw import raw_pdb, raw_pod


def test_person_stops_a_plan_before_its_next_eviction() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.INSTALLING, lambda: abort(site))

    result = process.attempt()

    assert (result.outcome, result.detail) == ("Aborted", "abort requested: maintenance")
    assert site.evictions() == []
    released(site)


def test_person_stops_a_plan_that_waits() -> None:
    site = paper()
    process = started(site)
    site.scheduler.paused = True
    in_phase(site, PlanPhase.REALISING, lambda: abort(site, ""))

    result = process.attempt()

    assert (result.outcome, result.detail) == ("Aborted", "abort requested: no reason given")
    released(site)


def test_deleted_plan_is_over() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.INSTALLING, lambda: site.server.remove("placementplans", site.plan().name, OWN))

    result = process.attempt()

    assert (result.outcome, site.evictions()) == ("Aborted", [])
    released(site)


def test_second_eviction_that_is_refused_ends_the_plan_half_way() -> None:
    site = two_victims()
    process = started(site)
    cause = {"reason": "DisruptionBudget", "message": "no"}
    refusal = Fail(Failure(429, "TooManyRequests", "Cannot evict", details={"causes": [cause]}))
    site.server.faults.add(Before(lambda: None), path="*/eviction")
    site.server.faults.add(refusal, path="*/eviction")

    result = process.attempt()

    assert result.outcome == "Aborted"
    assert "not evicted: given up: timeout: 1 tries" in result.detail
    assert "429 disruption budget" in result.detail
    assert len(site.witness.evicted) == 1
    released(site)
    site.wait(40)
    assert "-" not in "".join(place for name, place in site.places().items() if name != "big" and place is not None)


def test_budget_that_closes_after_the_first_eviction_ends_the_plan() -> None:
    site = two_victims()
    process = started(site)
    second: list[str] = []

    def close() -> None:
        (first,) = site.evictions()
        second.append("two" if first == "one-0" else "one")
        site.server.put(raw_pdb(second[0], app=second[0], spec={"minAvailable": 1}))

    site.server.faults.add(After(close), path="*/eviction")

    result = process.attempt()

    assert result.outcome == "Aborted"
    assert f"PDB default/{second[0]} allows 0" in result.detail
    assert len(site.evictions()) == 1
    released(site)


def test_pod_bound_past_the_extender_ends_the_plan_before_the_next_eviction() -> None:
    site = two_victims()
    process = started(site)
    intruder = raw_pod("intruder", node="n1", cpu=300, workload="intruder", owner=None)
    site.server.faults.add(After(lambda: site.server.put(intruder)), path="*/eviction")

    result = process.attempt()

    assert result.outcome == "Aborted"
    assert "default/intruder" in result.detail
    assert len(site.evictions()) == 1
    released(site)


def test_replica_that_falls_silent_stops_the_evictions() -> None:
    site = two_victims()
    process = started(site)

    def silence() -> None:
        site.extenders["one"].dead = True
        site.wait(7)

    site.server.faults.add(After(silence), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)
    assert "no replica of the extender lives" in result.detail


def test_second_replica_that_starts_half_way_must_show_the_plan_first() -> None:
    site = two_victims()
    process = started(site)

    def start() -> None:
        FakeReplica(site.server, "two", deaf=True)

    site.server.faults.add(After(start), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)
    assert "replica two does not show the plan" in result.detail


def test_replica_that_starts_half_way_and_shows_the_plan_is_waited_for() -> None:
    site = two_victims()
    process = started(site)
    site.server.faults.add(After(lambda: FakeReplica(site.server, "two")), path="*/eviction")

    assert process.attempt().outcome == "Completed"


def test_eviction_without_an_answer_that_happened_goes_on() -> None:
    site = paper()
    process = started(site)
    site.server.faults.add(LostAnswer(), path="*/eviction")

    result = process.attempt()

    assert result.outcome == "Completed"
    assert site.evictions() == ["pod3-0"]


def test_eviction_without_an_answer_that_nobody_saw_ends_the_plan() -> None:
    site = paper()
    process = started(site)
    site.server.faults.add(Delayed(20.0), path="*/eviction")

    result = process.attempt()

    assert result.outcome == "Aborted"
    assert "nobody can tell whether it was evicted" in result.detail
    site.wait(60)
    assert site.evictions() == ["pod3-0"]
    released(site)


def test_slow_read_of_the_pod_lets_no_call_through() -> None:
    site = paper()
    process = started(site)
    site.server.faults.add(Delayed(3.0), path="*/pods/pod3-0", method="GET")

    result = process.attempt()

    assert (result.outcome, site.evictions()) == ("Aborted", [])
    released(site)
