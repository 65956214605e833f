"""A whole plan on an in-memory cluster that goes well: from the snapshot to its end."""

from policies.values.plans import PlanPhase
from tests.descheduler.planning.site import Site, paper
from tests.descheduler.planning.under_way import in_phase, released, started
from tests.raw import raw_pod


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
