"""FC-060: series are found by node name, address, host:port or the labels that the policy names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.signals.naming import NOBODY, NodeNames, PodNames, WorkloadNames, without_port
from tests.builders import make_node

NODES = {
    "n1": make_node("n1", addresses=("10.0.0.5", "n1.example", "fd00::5")),
    "n2": make_node("n2", addresses=("10.0.0.6", "shared")),
    "n3": make_node("n3", addresses=("10.0.0.7", "shared", "n2")),
}


@pytest.fixture
def nodes() -> NodeNames:
    return NodeNames(NODES, ("node", "instance"))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"node": "n1"}, "n1"),
        ({"instance": "10.0.0.5:9100"}, "n1"),
        ({"instance": "10.0.0.5"}, "n1"),
        ({"instance": "n1.example:9100"}, "n1"),
        ({"instance": "[fd00::5]:9100"}, "n1"),
        ({"instance": "fd00::5"}, "n1"),
        ({"node": "unknown", "instance": "10.0.0.6:9100"}, "n2"),
        ({"node": "n2"}, "n2"),
        ({"instance": "shared:9100"}, NOBODY),
        ({"instance": "10.9.9.9:9100"}, NOBODY),
        ({"host": "n1"}, None),
        ({}, None),
    ],
    ids=[
        "name", "address and port", "address", "host name", "IPv6 and port", "IPv6", "labels in turn",
        "a name goes before another's address", "address of two", "unknown", "label not looked at", "no labels",
    ],
)  # fmt: skip
def test_node_of_a_series(nodes: NodeNames, labels: dict[str, str], expected: str | None) -> None:
    assert nodes.known(labels) == expected


@pytest.fixture
def pods() -> PodNames:
    return PodNames({"shop/web-0"}, namespaces=("namespace",), pods=("pod", "pod_name"))


CADVISOR = {
    "container_label_io_kubernetes_pod_namespace": "shop",
    "container_label_io_kubernetes_pod_name": "web-0",
}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"namespace": "shop", "pod": "web-0"}, "shop/web-0"),
        ({"namespace": "shop", "pod": "", "pod_name": "web-0"}, "shop/web-0"),
        (CADVISOR, "shop/web-0"),
        ({"namespace": "shop", "pod": "deleted"}, NOBODY),
        ({"pod": "web-0"}, None),
        ({"namespace": "shop"}, None),
    ],
    ids=["kubelet", "second label", "cAdvisor on its own", "deleted pod", "no namespace", "no pod"],
)
def test_pod_of_a_series_is_a_live_one(pods: PodNames, labels: dict[str, str], expected: str | None) -> None:
    assert pods.known(labels) == expected


def test_without_an_inventory_every_pod_is_taken() -> None:
    anyone = PodNames(None, namespaces=("namespace",), pods=("pod",))

    assert anyone.known({"namespace": "shop", "pod": "web-9"}) == "shop/web-9"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"namespace": "shop", "workload": "web"}, "shop/web"),
        ({"namespace": "shop", "workload": "", "deployment": "web"}, "shop/web"),
        ({"namespace": "shop"}, None),
    ],
)
def test_workload_of_a_series(labels: dict[str, str], expected: str | None) -> None:
    names = WorkloadNames(namespaces=("namespace",), workloads=("workload", "deployment"))

    assert names.known(labels) == expected
    assert names.claimed(labels) == expected


@given(st.ip_addresses(), st.integers(1, 65535))
def test_port_is_taken_off_any_address(address: object, port: int) -> None:
    text = str(address)
    written = f"[{text}]:{port}" if ":" in text else f"{text}:{port}"

    assert without_port(written) == text
    assert without_port(text) == text


@given(st.text(max_size=20))
def test_any_text_is_survived(text: str) -> None:
    assert isinstance(without_port(text), str)
