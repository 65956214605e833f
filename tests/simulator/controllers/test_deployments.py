"""Deployments and ReplicaSets: made, rolled out, scaled, deleted."""

from simulator.clock import ManualClock
from tests.raw import raw_deployment, raw_pod, raw_replica_set, raw_workload
from tests.simulator.controllers.clusters import APPS, cluster, found, patch, pods


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
