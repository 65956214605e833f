"""Kubelets and the binder: pods that start, fail their probe, find no place."""

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.controllers.nodes import Kubelets
from simulator.controllers.standard import standard_controllers
from tests.raw import raw_node, raw_pod, raw_workload
from tests.simulator.controllers.clusters import cluster, evict, pods


def test_pods_start_after_their_time(clock: ManualClock) -> None:
    api = cluster(clock, start_after=5.0)
    api.put(*raw_workload("web", nodes=["n1"]))
    evict(api, "web-0")
    (name,) = pods(api).keys() - {"web-0"}

    phases = [pods(api)[name]["status"]["phase"]]
    clock.advance(5)
    phases.append(pods(api)[name]["status"]["phase"])

    assert phases == ["Pending", "Running"]


def test_pod_deleted_before_its_start_never_runs(clock: ManualClock) -> None:
    api = cluster(clock, start_after=5.0)
    api.put(raw_pod("bare", node=None, owner=None))

    api.request("DELETE", "/api/v1/namespaces/default/pods/bare", body={"gracePeriodSeconds": 0})
    clock.advance(5)

    assert pods(api) == {}


def test_pod_that_fails_its_probe_is_running_and_not_ready(clock: ManualClock) -> None:
    kubelets = Kubelets(gets_ready=lambda pod: pod["metadata"]["name"] != "sick")
    api = ApiServer(clock, controllers=(kubelets,))
    api.put(raw_pod("sick", node=None), raw_pod("well", node=None))

    api.bind("sick", "n1")
    api.bind("well", "n1")

    ready = {
        name: entry["status"]
        for name, pod in pods(api).items()
        for entry in pod["status"]["conditions"]
        if entry["type"] == "Ready"
    }
    assert ready == {"sick": "False", "well": "True"}


def test_pod_without_a_place_is_unschedulable_until_a_node_changes(clock: ManualClock) -> None:
    nodes: list[str] = []
    api = ApiServer(clock, controllers=standard_controllers(lambda _: nodes[0] if nodes else None))
    api.put(raw_pod("a", node=None, owner=None))
    waiting = pods(api)["a"]["status"]["conditions"]

    nodes.append("n1")
    api.put(raw_node("n1"))

    assert [(entry["type"], entry["status"]) for entry in waiting] == [("PodScheduled", "False")]
    assert pods(api)["a"]["spec"]["nodeName"] == "n1"


def test_gated_pod_is_not_placed(clock: ManualClock) -> None:
    api = cluster(clock)

    api.put(raw_pod("a", node=None, gated=True, owner=None))

    assert "nodeName" not in pods(api)["a"]["spec"]
