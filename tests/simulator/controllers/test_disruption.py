"""Budgets: what they allow, and what takes it."""

import pytest

from simulator.clock import ManualClock
from simulator.jsons import Raw
from tests.raw import raw_pdb, raw_pod, raw_workload
from tests.simulator.controllers.clusters import cluster, evict, found


@pytest.mark.parametrize(
    ("spec", "allowed", "wanted"),
    [
        ({"minAvailable": 2}, 1, 2),
        ({"minAvailable": "50%"}, 1, 2),
        ({"minAvailable": None, "maxUnavailable": 1}, 1, 2),
        ({"minAvailable": None, "maxUnavailable": "10%"}, 1, 2),
        ({"minAvailable": 5}, 0, 5),
        ({"minAvailable": 1, "selector": {"matchLabels": {"app": "nobody"}}}, 0, 1),
    ],
    ids=["count", "share", "unavailable", "unavailable share", "too many", "no pod"],
)
def test_budget(clock: ManualClock, spec: Raw, allowed: int, wanted: int) -> None:
    api = cluster(clock)

    api.put(*raw_workload("web", nodes=["n1", "n1", "n1"]), raw_pdb(allowed=None, spec=spec))

    status = found(api, "poddisruptionbudgets", "web")["status"]
    assert (status["disruptionsAllowed"], status["desiredHealthy"], status["observedGeneration"]) == (
        allowed,
        wanted,
        1,
    )


def test_pdb_without_a_selector_guards_nobody(clock: ManualClock) -> None:
    api = cluster(clock)
    pdb = raw_pdb(allowed=None)
    del pdb["spec"]["selector"]

    api.put(*raw_workload("web", nodes=["n1"]), pdb)

    assert found(api, "poddisruptionbudgets", "web")["status"]["expectedPods"] == 0


def test_budget_counts_orphans_by_no_owner(clock: ManualClock) -> None:
    api = cluster(clock)

    api.put(raw_pod("a"), raw_pdb(allowed=None, spec={"minAvailable": "50%"}))

    assert found(api, "poddisruptionbudgets", "web")["status"]["disruptionsAllowed"] == 0


def test_budget_is_taken_by_an_eviction_and_comes_back_with_the_replacement(clock: ManualClock) -> None:
    api = cluster(clock, start_after=5.0)
    api.put(*raw_workload("web", nodes=["n1", "n1"]), raw_pdb())

    evict(api, "web-0")
    during = found(api, "poddisruptionbudgets", "web")["status"]
    clock.advance(5)

    assert (during["disruptionsAllowed"], during["currentHealthy"]) == (0, 1)
    assert found(api, "poddisruptionbudgets", "web")["status"]["disruptionsAllowed"] == 1


def test_disruption_that_never_happened_is_forgotten_after_two_minutes(clock: ManualClock) -> None:
    api = cluster(clock)
    api.put(*raw_workload("web", nodes=["n1", "n1"]), raw_pdb())
    with pytest.raises(Exception, match="UID in the precondition"):
        api.request(
            "POST",
            "/api/v1/namespaces/default/pods/web-0/eviction",
            body={"metadata": {"name": "web-0"}, "deleteOptions": {"preconditions": {"uid": "other"}}},
        )
    taken = found(api, "poddisruptionbudgets", "web")["status"]["disruptionsAllowed"]

    clock.advance(121)
    api.put(raw_pod("another", labels={"app": "api"}))

    assert (taken, found(api, "poddisruptionbudgets", "web")["status"]["disruptionsAllowed"]) == (0, 1)
