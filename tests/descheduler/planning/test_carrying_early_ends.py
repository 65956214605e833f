"""Plans that never come to an eviction: no replica, another's slot, a cluster that changed since the solve."""

from collections.abc import Callable

from tests.descheduler.planning.site import OWN, Site, paper
from tests.descheduler.planning.under_way import released, started
from tests.raw import raw_node, raw_pdb, raw_pod


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
