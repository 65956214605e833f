"""Pods find their workloads."""

from typing import Any

import pytest

from policies.values import kinds
from policies.values.pods import Owner
from policies.values.workloads import WorkloadRef
from sources.kube.assembling import assemble, workload_of, workloads_of
from sources.kube.decoding.workloads import (
    decode_deployment,
    decode_job,
    decode_replica_set,
    decode_stateful_set,
)
from tests.builders import make_pod
from tests.sources.kube.raw import raw_owned

DECODE = {
    kinds.DEPLOYMENTS: ("Deployment", decode_deployment),
    kinds.REPLICA_SETS: ("ReplicaSet", decode_replica_set),
    kinds.STATEFUL_SETS: ("StatefulSet", decode_stateful_set),
    kinds.JOBS: ("Job", decode_job),
}


def stores(**objects: dict[str, tuple[str, str] | None]) -> dict[str, dict[str, Any]]:
    """Return controllers by kind: `replicasets={"web-rs": ("Deployment", "web")}`."""
    return {
        plural: {
            f"shop/{name}": DECODE[plural][1](raw_owned(DECODE[plural][0], name, owner=owner))
            for name, owner in members.items()
        }
        for plural, members in objects.items()
    }


def ref_of(owner: Owner | None, known: dict[str, dict[str, Any]], **labels: str) -> WorkloadRef | None:
    pod = make_pod(namespace="shop", owner=owner, labels=labels)
    return workload_of(pod, lambda kind, key: known.get(kind, {}).get(key))


def ref(kind: str, name: str) -> WorkloadRef:
    return WorkloadRef(kind, "shop", name)


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        (None, None),
        (Owner("ReplicaSet", "web-rs"), ref("Deployment", "web")),
        (Owner("ReplicaSet", "alone"), ref("ReplicaSet", "alone")),
        (Owner("ReplicaSet", "canary-rs"), ref("Rollout", "canary")),
        (Owner("StatefulSet", "db"), ref("StatefulSet", "db")),
        (Owner("Job", "night-1"), ref("CronJob", "night")),
        (Owner("CloneSet", "x"), ref("CloneSet", "x")),
        (Owner("ReplicaSet", "not-seen"), None),
    ],
    ids=["bare", "deployment", "bare replica set", "foreign", "stateful set", "cron job", "unknown kind", "unknown"],
)
def test_workload_is_the_owner_people_think_in(owner: Owner | None, expected: WorkloadRef | None) -> None:
    known = stores(
        replicasets={"web-rs": ("Deployment", "web"), "alone": None, "canary-rs": ("Rollout", "canary")},
        statefulsets={"db": ("Postgres", "main")},
        jobs={"night-1": ("CronJob", "night")},
    )

    assert ref_of(owner, known) == expected


def test_template_hash_tells_the_deployment_before_its_replica_set_is_seen() -> None:
    owner = Owner("ReplicaSet", "web-5f")

    assert ref_of(owner, {}, **{"pod-template-hash": "5f"}) == ref("Deployment", "web")
    assert ref_of(owner, {}, **{"pod-template-hash": "6a"}) is None
    assert ref_of(owner, {}, **{"pod-template-hash": ""}) is None


def test_workloads_are_owners_and_controllers_that_nobody_owns() -> None:
    known = stores(
        deployments={"web": None},
        replicasets={"web-rs": ("Deployment", "web"), "alone": None, "lost-rs": ("Deployment", "lost")},
    )

    assert set(workloads_of(known)) == {ref("Deployment", "web"), ref("ReplicaSet", "alone")}


def test_workload_of_a_kind_that_is_not_read_is_made_of_its_controllers() -> None:
    one = workloads_of(stores(replicasets={"a": ("Rollout", "canary")}))
    two = workloads_of(stores(replicasets={"a": ("Rollout", "canary"), "b": ("Rollout", "canary")}))
    cron = workloads_of(stores(jobs={"night-1": ("CronJob", "night")}))

    assert (one[ref("Rollout", "canary")].wanted, one[ref("Rollout", "canary")].rollout) == (3, None)
    assert two[ref("Rollout", "canary")].rollout == "2 of its ReplicaSets want pods"
    assert cron[ref("CronJob", "night")].wanted is None


def test_pods_with_known_owners_are_assembled() -> None:
    pods = [make_pod(f"web-{n}", namespace="shop", owner=Owner("ReplicaSet", "web-rs")) for n in range(3)]
    bare = make_pod("bare", namespace="shop", owner=None)
    lost = make_pod("lost", namespace="shop", owner=Owner("ReplicaSet", "gone"))
    known: dict[str, Any] = stores(replicasets={"web-rs": ("Deployment", "web")})
    known[kinds.PODS] = {pod.uid: pod for pod in (*pods, bare, lost)}

    cluster = assemble(known, now=1.0, unreadable={"x": "y"}, skipped={})

    assert cluster.workload_of == {pod.uid: ref("Deployment", "web") for pod in pods}
    assert cluster.unreadable == {"x": "y"}
    assert len(cluster.pods) == 5
