"""Attachments: a volume a driver, counted for each pod; a node that declares no limit has none."""

from policies.feasibility.attachments import capacity, with_attachments
from policies.values.volumes import ATTACHMENTS, Claim, Volume
from tests.builders import make_cluster, make_node, make_pod

FAST = f"{ATTACHMENTS}fast.example.invalid"
CLAIMS = {f"default/{name}": Claim(namespace="default", name=name, volume=name) for name in ("a", "b", "c", "gone")}
VOLUMES = {name: Volume(name=name, driver="fast.example.invalid") for name in ("a", "b")} | {"c": Volume(name="c")}
CLUSTER = make_cluster(
    claims={**CLAIMS, "default/unbound": Claim(namespace="default", name="unbound")}, volumes=VOLUMES
)


def test_each_volume_of_a_driver_is_one_attachment() -> None:
    pod = make_pod(claims=("a", "b", "c"))

    assert with_attachments(pod, CLUSTER)[FAST] == 2
    assert with_attachments(pod, CLUSTER)["cpu"] == pod.requests["cpu"]


def test_a_pod_without_volumes_asks_for_what_it_requests() -> None:
    pod = make_pod()

    assert with_attachments(pod, CLUSTER) is pod.requests


def test_what_is_not_known_of_a_volume_asks_for_nothing() -> None:
    pod = make_pod(claims=("unbound", "gone", "missing"))

    assert with_attachments(pod, CLUSTER) == pod.requests


def test_a_node_has_what_it_declares_and_no_limit_where_it_declares_none() -> None:
    node = make_node(cpu=700, extended={FAST: 3})

    assert (capacity(node, FAST), capacity(node, "cpu"), capacity(node, "example.invalid/gpu")) == (3, 700, 0)
    assert capacity(node, f"{ATTACHMENTS}other") > 10**9
