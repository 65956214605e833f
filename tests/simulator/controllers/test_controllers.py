"""Workloads, nodes and budgets come about as on a real cluster."""

import pytest

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.controllers.nodes import Kubelets
from simulator.controllers.standard import standard_controllers
from simulator.jsons import Raw
from tests.raw import raw_deployment, raw_node, raw_pdb, raw_pod, raw_replica_set, raw_stateful_set, raw_workload

MERGE = "application/merge-patch+json"
APPS = "/apis/apps/v1/namespaces/default"


def cluster(clock: ManualClock, node: str | None = "n2", **options: float) -> ApiServer:
    kubelets = Kubelets(start_after=options.pop("start_after", 0.0))
    return ApiServer(clock, controllers=standard_controllers(lambda _: node, kubelets=kubelets), **options)


def pods(api: ApiServer) -> dict[str, Raw]:
    return {pod["metadata"]["name"]: pod for pod in api.all("pods")}


def evict(api: ApiServer, name: str) -> None:
    api.request("POST", f"/api/v1/namespaces/default/pods/{name}/eviction", body={"metadata": {"name": name}})


def found(api: ApiServer, plural: str, name: str) -> Raw:
    raw = api.find(plural, name)
    assert raw is not None
    return raw


def patch(api: ApiServer, path: str, change: Raw) -> None:
    api.request("PATCH", f"{APPS}/{path}", body=change, content_type=MERGE)


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


def test_replica_set_scales_down_the_unready_first(clock: ManualClock) -> None:
    api = cluster(clock)
    api.put(raw_replica_set(replicas=3), *(raw_pod(f"web-{at}", ready=at != 1) for at in range(3)))

    patch(api, "replicasets/web-rs", {"spec": {"replicas": 2}})
    clock.advance(30)

    assert sorted(pods(api)) == ["web-0", "web-2"]


def test_new_deployment_makes_its_replica_set_and_pods(clock: ManualClock) -> None:
    api = cluster(clock)
    body = raw_deployment("web", replicas=2)
    body["metadata"] = {"name": "web"}

    api.request("POST", f"{APPS}/deployments", body=body)

    assert found(api, "deployments", "web")["status"] == {
        "replicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "updatedReplicas": 2,
        "observedGeneration": 1,
    }
    assert len(pods(api)) == 2


def test_rollout_replaces_all_pods_and_shows_itself_on_the_way(clock: ManualClock) -> None:
    api = cluster(clock, start_after=5.0)
    api.put(*raw_workload("web", nodes=["n1", "n1"]))

    patch(api, "deployments/web", {"spec": {"template": {"metadata": {"annotations": {"turn": "2"}}}}})
    midway = found(api, "deployments", "web")
    clock.advance(60)

    assert midway["metadata"]["generation"] == 2
    assert (midway["status"]["replicas"], midway["status"]["updatedReplicas"], midway["status"]["readyReplicas"]) == (
        4,
        2,
        2,
    )
    assert found(api, "deployments", "web")["status"]["replicas"] == 2
    assert not {"web-0", "web-1"} & set(pods(api))
    assert found(api, "replicasets", "web-rs")["spec"]["replicas"] == 0


def test_deleted_deployment_takes_everything_with_it(clock: ManualClock) -> None:
    api = cluster(clock)
    api.put(*raw_workload("web", nodes=["n1", "n1"]))

    api.request("DELETE", f"{APPS}/deployments/web")
    clock.advance(30)

    assert (api.all("replicasets"), pods(api)) == ([], {})


def test_stateful_pod_returns_under_its_name_once_the_old_one_is_gone(clock: ManualClock) -> None:
    api = cluster(clock)
    api.put(raw_stateful_set("db", replicas=2))
    first = pods(api)["db-1"]["metadata"]

    evict(api, "db-1")
    during = pods(api)["db-1"]["metadata"]
    clock.advance(30)
    after = pods(api)["db-1"]["metadata"]

    assert (during["uid"], after["uid"] != first["uid"]) == (first["uid"], True)
    assert after["labels"]["controller-revision-hash"] == "db-1"


def test_stateful_set_rolls_from_the_highest_ordinal_down_to_its_partition(clock: ManualClock) -> None:
    api = cluster(clock)
    api.put(raw_stateful_set("db", replicas=3))

    change = {
        "template": {"metadata": {"annotations": {"turn": "2"}}},
        "updateStrategy": {"rollingUpdate": {"partition": 1}},
    }
    patch(api, "statefulsets/db", {"spec": change})
    rolling = found(api, "statefulsets", "db")["status"]
    clock.advance(120)

    status = found(api, "statefulsets", "db")["status"]
    revisions = {name: pod["metadata"]["labels"]["controller-revision-hash"] for name, pod in pods(api).items()}
    assert rolling["currentRevision"] == "db-1" != rolling["updateRevision"]
    assert revisions == {"db-0": "db-1", "db-1": status["updateRevision"], "db-2": status["updateRevision"]}
    patch(api, "statefulsets/db", {"spec": {"updateStrategy": None}})
    clock.advance(60)
    assert found(api, "statefulsets", "db")["status"]["currentRevision"] == status["updateRevision"]


def test_stateful_set_scales_down_from_the_top(clock: ManualClock) -> None:
    api = cluster(clock)
    api.put(raw_stateful_set("db", replicas=3))

    patch(api, "statefulsets/db", {"spec": {"replicas": 1}})
    clock.advance(30)

    assert sorted(pods(api)) == ["db-0"]


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
