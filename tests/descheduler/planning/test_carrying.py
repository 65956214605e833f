"""A whole plan on an in-memory cluster, from the snapshot to its end: how it goes well, and all that ends it."""

from collections.abc import Callable

import pytest

from policies.values.plans import PlanPhase
from simulator.failures import Failure
from simulator.faults import After, Before, Delayed, Fail, LostAnswer
from tests.descheduler.planning.replica import FakeReplica
from tests.descheduler.planning.site import OWN, Process, Site, paper, plan_policy
from tests.raw import raw_node, raw_pdb, raw_pod

PATH = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/placementplans"
MERGE = "application/merge-patch+json"


def started(site: Site) -> Process:
    """Return a process that has led for a while and knows the replicas."""
    process = site.process()
    site.wait(7)
    return process


def abort(site: Site, why: str = "maintenance") -> None:
    """Ask for an abort as a person does."""
    name = site.plan().name
    site.server.request("PATCH", f"{PATH}/{name}", body={"spec": {"abort": why}}, content_type=MERGE)


def in_phase(site: Site, phase: PlanPhase, happen: Callable[[], object]) -> None:
    """Let something happen once the plan's status says a phase."""
    done: list[PlanPhase] = []

    def look() -> None:
        if not done and site.plans() and site.plan().phase is phase:
            done.append(phase)
            happen()
        if not done:
            site.clock.call_after(0.05, look)

    site.clock.call_after(0.05, look)


def released(site: Site) -> None:
    """Fail unless nothing of a plan is left in force."""
    assert site.slot().plan is None
    assert all(plan.phase.ended for plan in site.plans())
    site.wait(1)
    assert all(replica.plan is None for replica in site.extenders.values() if not replica.dead)


# ---------------------------------------------------------------------- how it goes well


def test_the_papers_example_is_carried_out() -> None:
    site = paper()
    process = started(site)

    result = process.attempt()

    assert result.outcome == "Completed"
    assert site.places() == {"pod1": "n1", "pod2": "n2", "pod3": "n1", "pod4": "n2"}
    assert site.evictions() == ["pod3-0"]
    plan = site.plan()
    assert (plan.phase, plan.progress.placed, plan.progress.moved) == (PlanPhase.COMPLETED, 1, 1)
    assert [one.kind for one in plan.conditions if one.met] == ["Installed", "Validated", "Evicted", "Realised"]
    released(site)


def test_both_pods_bind_within_a_second_of_the_victims_end() -> None:
    site = paper()
    process = started(site)
    process.attempt()

    victim_gone = next(call.at for call in site.server.calls.of("create", "pods/eviction")) + 30
    assert site.plan().finished_at is not None
    assert (site.plan().finished_at or 0) - victim_gone <= 1


def test_placements_alone_evict_nobody() -> None:
    site = Site()
    site.scheduler.paused = True
    site.node("n1", "n2")
    site.workload("api", None, cpu=700)
    site.solver.goes = {"api-0": "n2"}
    process = started(site)

    def resume() -> None:
        site.scheduler.paused = False
        site.node("n3")

    in_phase(site, PlanPhase.REALISING, resume)

    result = process.attempt()

    assert (result.outcome, site.evictions(), site.places()) == ("Completed", [], {"api": "n2"})


def test_bare_pending_pod_is_pinned_by_its_uid() -> None:
    site = Site()
    site.node("n1", "n2")
    site.workload("one", "n1", cpu=400)
    site.workload("two", "n2", cpu=400)
    site.server.put(raw_pod("solo", node=None, workload="solo", cpu=700, owner=None))
    site.solver.goes = {"two-0": "n1", "solo": "n2"}

    result = started(site).attempt()

    assert result.outcome == "Completed"
    assert site.plan().pins.keys() == {"uid-solo"}
    assert site.places()["solo"] == "n2"


def test_every_eviction_has_its_record_and_counts_for_single_ones_too() -> None:
    site = paper()
    started(site).attempt()

    (record,) = site.server.all("evictionrecords")
    assert (record["metadata"]["name"], record["status"]["state"]) == ("uid-pod3-0", "Accepted")
    assert (record["spec"]["rule"], record["spec"]["destination"]) == ("plan", "n1")
    assert record["spec"]["controller"]["name"] == "pod3-rs"


def test_people_are_told_on_the_plan_and_on_its_pods() -> None:
    site = paper()
    started(site).attempt()

    name = site.plan().name
    assert site.events("PlanInstalled") == ["place 1, move 1, evict 0 pods (trigger periodic)"]
    assert f"default/pod4-0 goes to n2 by plan {name}" in site.events("Planned")[1]
    assert f"default/pod3-0 moves from n2 to n1 by plan {name}" in site.events("Evicted")[0]
    assert site.events("PlanCompleted") == ["every wanted pod is bound"]


def test_two_replicas_must_both_know() -> None:
    site = paper(replicas=("one", "two"))

    assert started(site).attempt().outcome == "Completed"
    site.wait(1)
    for replica in site.extenders.values():
        assert [shown for _, shown in replica.history] == [site.plan().version, ""]


def test_single_evictions_wait_while_a_plan_is_carried_out() -> None:
    site = paper()
    process = started(site)
    seen = []

    def look() -> None:
        with process.gate.single() as refusal:
            seen.append(None if refusal is None else refusal.rail)

    in_phase(site, PlanPhase.EVICTING, look)
    process.attempt()
    look()

    assert seen == ["plan-active", None]


def test_plan_waits_for_single_evictions_and_gives_way_in_the_end() -> None:
    site = paper()
    process = started(site)

    with process.gate.single():
        result = process.attempt()

    assert (result.outcome, result.detail, site.plans()) == ("busy", "a cycle is evicting", [])


# ---------------------------------------------------------------------- installation


def test_without_a_replica_nothing_begins() -> None:
    site = paper(replicas=())

    result = started(site).attempt()

    assert (result.outcome, site.evictions()) == ("Aborted", [])
    assert site.plan().reason == "not acknowledged within 5 s: no replica of the extender lives"
    assert site.events("PlanAborted") == [
        site.plan().reason, f"plan {site.plan().name} no longer keeps a place on n2: {site.plan().reason}",
    ]  # fmt: skip
    released(site)


def test_replica_that_does_not_acknowledge_aborts() -> None:
    site = paper(replicas=("one", "two"))
    site.extenders["two"].deaf = True

    result = started(site).attempt()

    assert (result.outcome, site.evictions()) == ("Aborted", [])
    assert site.plan().reason == "not acknowledged within 5 s: replica two does not show the plan"
    released(site)


def test_lease_that_a_dead_replica_left_behind_delays_and_does_not_abort() -> None:
    site = paper(replicas=("one", "two"))
    site.extenders["two"].dead = True
    process = site.process()

    assert process.attempt().outcome == "Completed"


def test_slot_of_another_process_stops_a_plan() -> None:
    site = paper()
    process = started(site)
    assert process.planner.ready()
    site.server.put(
        {
            "apiVersion": "bayplan.dev/v1alpha1",
            "kind": "PlanSlot",
            "metadata": {"name": "active", "namespace": OWN},
            "spec": {"plan": "other", "planUID": "u", "revision": 1, "holder": "b", "renewal": 1},
        }
    )

    result = process.attempt()

    assert (result.outcome, result.detail) == ("Aborted", "the slot holds the plan other of b")
    assert site.slot().plan == "other"


# ---------------------------------------------------------------------- drift between solve and validation


def drifted(site: Site, happen: Callable[[], object]) -> str:
    """Let something happen while the solver runs, and return why the plan ended; nobody may have been evicted."""
    site.solver.meanwhile = lambda _: happen()
    result = started(site).attempt()
    assert (result.outcome, site.evictions()) == ("Aborted", [])
    released(site)
    return site.plan().reason


def test_victim_that_is_gone_meanwhile_aborts() -> None:
    site = paper()

    assert "default/pod3-0 on n2 is gone" in drifted(site, lambda: site.server.remove("pods", "pod3-0"))


def test_node_that_shrank_meanwhile_aborts() -> None:
    site = paper()

    reason = drifted(site, lambda: site.server.put(raw_node("n1", cpu=500)))

    assert reason.startswith("not valid any more: ")
    assert "n1" in reason


def test_pod_that_came_meanwhile_and_takes_the_room_aborts() -> None:
    site = paper()

    reason = drifted(site, lambda: site.server.put(raw_pod("late", node="n1", cpu=500, workload="late", owner=None)))

    assert reason.startswith("not valid any more: ")


def test_budget_that_closes_meanwhile_aborts() -> None:
    site = paper()

    def close() -> None:
        site.server.put(raw_pdb("pod3", app="pod3", spec={"minAvailable": 1}))

    assert "pdb: PDB default/pod3 allows 0" in drifted(site, close)


def test_policy_that_changes_meanwhile_aborts() -> None:
    site = paper()

    def change() -> None:
        site.policy_hash = "def"

    assert drifted(site, change) == "another policy has come into force"


# ---------------------------------------------------------------------- on the way


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


def two_victims() -> Site:
    """Return a cluster in which two pods of two workloads must leave n2 for one that waits."""
    site = Site()
    site.node("n1", cpu=850)
    site.node("n2")
    site.workload("one", "n2", cpu=400)
    site.workload("two", "n2", cpu=400)
    site.workload("big", None, cpu=900)
    site.solver.goes = {"one-0": "n1", "two-0": "n1", "big-0": "n2"}
    return site


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


def test_pod_that_hangs_in_termination_times_out() -> None:
    site = paper()
    raw = site.server.find("pods", "pod3-0")
    assert raw is not None
    site.server.put(raw | {"metadata": raw["metadata"] | {"finalizers": ["test/hangs"]}})
    process = started(site)

    result = process.attempt()

    assert (result.outcome, result.detail) == ("TimedOut", "still terminating: default/pod3-0")
    called = site.server.calls.of("create", "pods/eviction")[0].at
    assert 55 <= (site.plan().finished_at or 0) - called <= 65
    released(site)


def test_pods_that_are_not_bound_in_time_time_out() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, lambda: setattr(site.scheduler, "paused", True))

    result = process.attempt()

    assert result.outcome == "TimedOut"
    assert "pods of ReplicaSet default/pod4-rs on n2: 0 of 1" in result.detail
    released(site)


def test_rollout_of_a_planned_workload_aborts() -> None:
    site = paper()
    process = started(site)

    def roll() -> None:
        path = "/apis/apps/v1/namespaces/default/deployments/pod3"
        change = {"spec": {"template": {"metadata": {"annotations": {"test/rolled": "yes"}}}}}
        site.server.request("PATCH", path, body=change, content_type=MERGE)

    in_phase(site, PlanPhase.EVICTING, roll)

    assert process.attempt().outcome == "Aborted"
    assert "pod3" in site.plan().reason
    released(site)


def test_workload_that_is_scaled_away_completes_the_plan() -> None:
    site = paper()
    process = started(site)

    def scale() -> None:
        site.server.request(
            "PATCH", "/apis/apps/v1/namespaces/default/deployments/pod3",
            body={"spec": {"replicas": 0}}, content_type=MERGE,
        )  # fmt: skip

    in_phase(site, PlanPhase.INSTALLING, lambda: setattr(site.scheduler, "paused", True))
    in_phase(site, PlanPhase.EVICTING, scale)
    site.clock.call_after(20, lambda: setattr(site.scheduler, "paused", False))

    assert process.attempt().outcome == "Completed"
    released(site)


def test_node_that_vanishes_aborts() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, lambda: site.server.remove("nodes", "n2"))

    assert process.attempt().outcome == "Aborted"
    assert "n2" in site.plan().reason
    released(site)


# ---------------------------------------------------------------------- this process


def test_process_that_is_told_to_stop_closes_its_plan() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, process.stop.set)

    result = process.attempt()

    assert (result.outcome, result.detail) == ("Aborted", "the descheduler is ending")
    released(site)


def test_process_that_fails_on_the_way_closes_its_plan() -> None:
    site = paper()
    process = started(site)

    def fail() -> None:
        raise LookupError("no such berth")

    site.server.faults.add(Before(fail), path="*/eviction")

    with pytest.raises(LookupError):
        process.attempt()

    assert site.plan().reason == "the descheduler failed while it carried out the plan"
    released(site)
    with process.gate.single() as refusal:
        assert refusal is None


def test_failed_plan_lets_its_pairs_rest() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, lambda: setattr(site.scheduler, "paused", True))
    assert process.attempt().outcome == "TimedOut"

    (pair,) = process.planner.succession.resting(site.loaded, site.clock.now())
    assert (str(pair[0]), pair[1]) == ("Deployment default/pod3", "n2")


def test_plan_that_cost_nothing_may_be_tried_again_at_once() -> None:
    site = paper()
    process = started(site)
    site.extenders["one"].deaf = True
    assert process.attempt().outcome == "Aborted"
    site.extenders["one"].deaf = False

    assert process.attempt().outcome == "Completed"


def test_floor_of_plans_is_their_own() -> None:
    site = paper(policy=plan_policy(eviction={"minReadyReplicas": 1}))

    result = started(site).attempt()

    computed = result.computed
    assert computed is not None
    assert computed.built is not None
    assert computed.built.fixed["uid-pod3-0"].rail == "ready-floor"


def test_standby_does_nothing() -> None:
    site = paper()
    started(site)
    second = site.process("b")

    assert second.attempt().outcome == "standby"
