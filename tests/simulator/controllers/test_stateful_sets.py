"""StatefulSets: names, rollouts, scaling."""

from simulator.clock import ManualClock
from tests.raw import raw_stateful_set
from tests.simulator.controllers.clusters import cluster, evict, found, patch, pods


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
