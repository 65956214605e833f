"""Kubernetes objects for set-ups."""

import pytest

from controlplane import objects


def test_node_offers_its_shape_and_belongs_to_kwok() -> None:
    made = objects.node("n1", objects.NodeShape(cpu="4", zone="b", extended={"example.com/gpu": "2"}))

    assert made["status"]["allocatable"] == {"cpu": "4", "memory": "32Gi", "pods": "110", "example.com/gpu": "2"}
    assert made["metadata"]["labels"]["topology.kubernetes.io/zone"] == "b"
    assert made["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}


@pytest.mark.parametrize(
    ("ready", "taint", "takes"),
    [
        ("True", None, True),
        ("False", None, False),
        ("True", "node.kubernetes.io/not-ready", False),
        ("True", "example.com/dedicated", True),
    ],
)
def test_node_takes_pods_once_ready_and_without_taints_of_kubernetes(
    ready: str, taint: str | None, *, takes: bool
) -> None:
    node = {
        "spec": {"taints": [{"key": taint}]} if taint else {},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }

    assert objects.takes_pods(node) is takes


def test_new_node_does_not_take_pods_yet() -> None:
    assert not objects.takes_pods({"spec": {}, "status": {}})


def test_workloads_select_the_pods_they_make() -> None:
    for made in (objects.deployment("web", 3), objects.stateful_set("web", 3)):
        selected = made["spec"]["selector"]["matchLabels"]
        assert selected.items() <= made["spec"]["template"]["metadata"]["labels"].items()
        assert made["spec"]["replicas"] == 3


def test_pod_spec_can_be_extended() -> None:
    shape = objects.PodShape(scheduler="bayplan-scheduler", spec={"priorityClassName": "high"})

    spec = objects.pod("p", shape)["spec"]

    assert spec["schedulerName"] == "bayplan-scheduler"
    assert spec["priorityClassName"] == "high"


def test_eviction_carries_the_uid_only_when_given() -> None:
    assert objects.eviction("p", "ns")["deleteOptions"] == {}
    assert objects.eviction("p", "ns", uid="u")["deleteOptions"] == {"preconditions": {"uid": "u"}}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (objects.pod("p"), "/api/v1/namespaces/t/pods"),
        (objects.deployment("d", 1), "/apis/apps/v1/namespaces/t/deployments"),
        (objects.job("j"), "/apis/batch/v1/namespaces/t/jobs"),
        (objects.pdb("b", app="web", minAvailable=1), "/apis/policy/v1/namespaces/t/poddisruptionbudgets"),
        (objects.priority_class("high", 1000), "/apis/scheduling.k8s.io/v1/priorityclasses"),
        (objects.node("n", objects.NodeShape()), "/api/v1/nodes"),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_collection_of_an_object_follows_from_its_kind(body: objects.Object, path: str) -> None:
    assert objects.collection(body, "t") == path


@pytest.mark.parametrize(
    ("status", "served"),
    [
        ({}, False),
        ({"status": {}}, False),
        ({"status": {"conditions": None}}, False),
        ({"status": {"conditions": [{"type": "NamesAccepted", "status": "True"}]}}, False),
        ({"status": {"conditions": [{"type": "Established", "status": "False"}]}}, False),
        ({"status": {"conditions": [{"type": "Established", "status": "True"}]}}, True),
    ],
)
def test_a_definition_is_served_when_it_is_established(status: objects.Object, *, served: bool) -> None:
    assert objects.established(status) is served
