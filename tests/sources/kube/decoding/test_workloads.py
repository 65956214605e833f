"""Controllers tell how many pods they want and whether they are being rolled out."""

from typing import Any

import pytest

from policies.values.pods import Owner
from policies.values.workloads import WorkloadRef
from sources.kube.decoding.workloads import (
    decode_daemon_set,
    decode_deployment,
    decode_job,
    decode_replica_set,
    decode_stateful_set,
)
from tests.sources.kube.raw import raw_owned


def test_deployment_at_rest() -> None:
    found = decode_deployment(raw_owned("Deployment", "web", metadata__annotations={"a": "b"})).workload

    assert found.ref == WorkloadRef("Deployment", "shop", "web")
    assert (found.uid, found.wanted, found.rollout, found.annotations) == ("uid-web", 3, None, {"a": "b"})


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ({}, "its controller has seen generation 0 of 2"),
        ({"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3}, "seen generation 1 of 2"),
        ({"observedGeneration": 2, "replicas": 4, "updatedReplicas": 1}, "3 of 4 pods are of an older template"),
        ({"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2}, "being scaled: 2 of 3 pods exist"),
    ],
    ids=["no status", "not seen", "old pods", "scaling"],
)
def test_deployment_in_rollout_says_why(status: dict[str, int], text: str) -> None:
    rollout = decode_deployment(raw_owned("Deployment", "web", status=status)).workload.rollout

    assert text in (rollout or "")


def test_replicas_that_are_not_given_mean_one() -> None:
    raw = raw_owned("Deployment", "web", spec={}, status__replicas=1, status__updatedReplicas=1)

    assert decode_deployment(raw).workload.wanted == 1


def test_replica_set_knows_its_owner_also_from_metadata_alone() -> None:
    raw = raw_owned("ReplicaSet", "web-rs", owner=("Deployment", "web"))
    metadata_only = {"metadata": raw["metadata"]}

    assert decode_replica_set(raw).owner == Owner("Deployment", "web", "uid-web")
    assert decode_replica_set(metadata_only).owner == Owner("Deployment", "web", "uid-web")
    assert decode_replica_set(metadata_only).workload.wanted is None


def test_stateful_set_knows_its_target_revision() -> None:
    found = decode_stateful_set(raw_owned("StatefulSet", "db", status__updateRevision="db-2")).workload

    assert found.update_revision == "db-2"


_ROLLING: dict[str, Any] = {"status__currentRevision": "db-1", "status__updateRevision": "db-2"}


@pytest.mark.parametrize(
    ("changes", "rollout"),
    [
        ({"status__updatedReplicas": 1}, "1 of 3 pods are of the new revision"),
        ({"status__updatedReplicas": 3}, None),
        ({"status__updatedReplicas": 1, "spec__updateStrategy": {"rollingUpdate": {"partition": 2}}}, None),
        (
            {"status__updatedReplicas": 0, "spec__updateStrategy": {"rollingUpdate": {"partition": 2}}},
            "0 of 1 pods are of the new revision",
        ),
        ({"status__updatedReplicas": 0, "spec__updateStrategy": {"type": "OnDelete"}}, None),
    ],
    ids=["rolling", "done", "held by the partition", "rolling down to the partition", "on delete"],
)
def test_stateful_set_in_rollout(changes: dict[str, Any], rollout: str | None) -> None:
    assert decode_stateful_set(raw_owned("StatefulSet", "db", **_ROLLING, **changes)).workload.rollout == rollout


def test_job_and_daemon_set_want_no_number() -> None:
    job = decode_job(raw_owned("Job", "night-1", owner=("CronJob", "night")))

    assert job.owner == Owner("CronJob", "night", "uid-night")
    assert job.workload.wanted is None
    assert decode_daemon_set(raw_owned("DaemonSet", "log")).workload.rollout is None
    assert decode_daemon_set(raw_owned("DaemonSet", "log", status__observedGeneration=1)).workload.rollout is not None
