"""Controllers together: workloads at rest, evicted, and replaced in their time."""

from simulator.clock import ManualClock
from tests.raw import raw_workload
from tests.simulator.controllers.clusters import cluster, evict, found, pods


def test_workload_at_rest_is_left_alone(clock: ManualClock) -> None:
    api = cluster(clock)

    api.put(*raw_workload("web", nodes=["n1", "n1"]))

    assert sorted(pods(api)) == ["web-0", "web-1"]
    assert [entry["metadata"]["name"] for entry in api.all("replicasets")] == ["web-rs"]


def test_evicted_pod_is_replaced_while_it_terminates(clock: ManualClock) -> None:
    api = cluster(clock)
    api.put(*raw_workload("web", nodes=["n1", "n1"]))

    evict(api, "web-0")

    (name,) = pods(api).keys() - {"web-0", "web-1"}
    new = pods(api)[name]
    assert (new["spec"]["nodeName"], new["status"]["phase"], new["metadata"]["labels"]) == (
        "n2",
        "Running",
        {"app": "web"},
    )
    assert new["metadata"]["ownerReferences"][0]["name"] == "web-rs"
    clock.advance(30)
    assert "web-0" not in pods(api)
    assert found(api, "deployments", "web")["status"]["readyReplicas"] == 2


def test_controllers_may_take_their_time(clock: ManualClock) -> None:
    api = cluster(clock, reaction_time=2.0)
    api.put(*raw_workload("web", nodes=["n1", "n1"]))

    evict(api, "web-0")
    before = len(pods(api))
    clock.advance(2)

    assert (before, len(pods(api))) == (2, 3)
