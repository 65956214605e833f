"""metrics-server behind the same port, on the in-memory API server (FC-061)."""

from typing import Any

import pytest

from policies.model.policy import Policy
from policies.model.signals import ResourceSignal, Signals
from policies.values.nodes import Node
from policies.values.signals import Freshness
from sources.kube.api import Answer
from sources.kube.decoding.times import rfc3339
from sources.kube.errors import NotFound
from sources.metrics_server import NODES_PATH, PODS_PATH, MetricsServerReader
from sources.signals.reader import Inventory
from tests.builders import GIB, make_node
from tests.sources.kube.api_fake import ScriptedApi

AT = 1_800_000_000.0
POLICY = Policy(
    api_version="bayplan.dev/v1alpha1",
    kind="Policy",
    signals=Signals(
        source="metrics-server",
        resources={name: ResourceSignal(pod_per="allocatable") for name in ("cpu", "memory")},
    ),
)


class Metrics(ScriptedApi):
    """metrics-server's two lists, changed between calls."""

    def __init__(self) -> None:
        super().__init__()
        self.lists: dict[str, list[Any]] = {NODES_PATH: [], PODS_PATH: []}
        self.down = False

    def request(self, method: str, path: str, **_: Any) -> Answer:
        """Give a list, or what an API server without metrics-server says."""
        if self.down:
            raise NotFound(404, reason="NotFound", message="the server could not find the requested resource")
        assert method == "GET"
        return Answer(200, {"metadata": {}, "items": self.lists[path]})


def use(name: str, cpu: str, *, at: float, memory: str = "4Gi") -> dict[str, Any]:
    return {"metadata": {"name": name}, "timestamp": rfc3339(at), "usage": {"cpu": cpu, "memory": memory}}


def pod_use(name: str, *cpus: str, at: float = AT - 5) -> dict[str, Any]:
    containers = [{"name": f"c{number}", "usage": {"cpu": cpu}} for number, cpu in enumerate(cpus)]
    return {"metadata": {"namespace": "shop", "name": name}, "timestamp": rfc3339(at), "containers": containers}


@pytest.fixture
def api() -> Metrics:
    return Metrics()


@pytest.fixture
def nodes() -> dict[str, Node]:
    return {"n1": make_node("n1")}


@pytest.fixture
def reader(api: Metrics, nodes: dict[str, Node]) -> MetricsServerReader:
    return MetricsServerReader(POLICY, api, lambda: Inventory(nodes=nodes, pods={"shop/web-0"}))


def test_nodes_are_shares_of_allocatable_with_their_age(reader: MetricsServerReader, api: Metrics) -> None:
    api.lists[NODES_PATH] = [use("n1", "1500000000n", at=AT - 10), use("elsewhere", "1", at=AT)]

    resources = reader.latest(AT).resources

    assert resources["cpu"].node.objects == ("n1",)
    assert resources["cpu"].node.newest("n1") == 0.375
    assert resources["memory"].node.newest("n1") == 0.5
    assert resources["cpu"].node.ages.tolist() == [[10.0]]
    assert resources["cpu"].node.verified


def test_history_is_what_was_seen_so_far(reader: MetricsServerReader, api: Metrics) -> None:
    for back, cores in ((30, "1"), (15, "2"), (0, "3")):
        api.lists[NODES_PATH] = [use("n1", cores, at=AT - back - 1)]
        reader.latest(AT - back)

    grid = reader.history(AT, span=45.0).resources["cpu"].node

    assert [Freshness(int(state)) for state in grid.states[0]] == [Freshness.MISSING, *[Freshness.FRESH] * 3]
    assert grid.values[0, 1:].tolist() == [0.25, 0.5, 0.75]


def test_sample_that_does_not_change_grows_old(reader: MetricsServerReader, api: Metrics) -> None:
    api.lists[NODES_PATH] = [use("n1", "1", at=AT)]

    assert reader.latest(AT + 60).resources["cpu"].node.state("n1") is Freshness.FRESH
    assert reader.latest(AT + 61).resources["cpu"].node.state("n1") is Freshness.STALE


def test_what_no_evaluation_can_ask_for_is_forgotten(
    reader: MetricsServerReader, api: Metrics, nodes: dict[str, Node]
) -> None:
    for step in range(200):
        api.lists[NODES_PATH] = [use("n1", "1", at=AT + 15 * step)]
        reader.latest(AT + 15 * step)

    assert len(reader._past["n1"]._times) <= POLICY.history_span / 15 + 3
    nodes.clear()
    reader.latest(AT)
    assert reader._past == {}


def test_pods_are_cores_of_all_containers(reader: MetricsServerReader, api: Metrics) -> None:
    api.lists[PODS_PATH] = [pod_use("web-0", "250m", "500m"), pod_use("gone", "1")]

    grid = reader.pods("cpu", AT)

    assert grid.objects == ("shop/web-0",)
    assert grid.newest("shop/web-0") == 0.75
    assert reader.pods("memory", AT).state("shop/web-0") is Freshness.NAN


def test_node_that_allocates_nothing_has_no_share(
    reader: MetricsServerReader, api: Metrics, nodes: dict[str, Node]
) -> None:
    nodes["n1"] = make_node("n1", cpu=0, memory=8 * GIB)
    api.lists[NODES_PATH] = [use("n1", "1", at=AT)]

    assert reader.latest(AT).resources["cpu"].node.state("n1") is Freshness.NAN


def test_no_workloads_and_no_objectives(reader: MetricsServerReader) -> None:
    assert reader.workloads("cpu", AT).objects == ()
    assert reader.latest(AT).slos == {}


def test_missing_metrics_server_is_a_failure_in_words(reader: MetricsServerReader, api: Metrics) -> None:
    api.down = True

    history = reader.latest(AT)

    assert history.failures == {
        "metrics-server nodes": "404 NotFound: the server could not find the requested resource"
    }
    assert history.resources["cpu"].node.objects == ()
    assert reader.pods("cpu", AT).objects == ()
    api.down = False
    assert reader.latest(AT).failures.keys() == {"metrics-server pods"}


def test_malformed_object_is_named_and_the_others_are_read(reader: MetricsServerReader, api: Metrics) -> None:
    api.lists[NODES_PATH] = [use("n1", "1", at=AT), use("n2", "lots", at=AT), "odd"]

    history = reader.latest(AT)

    assert history.resources["cpu"].node.newest("n1") == 0.25
    assert "2 malformed: n2: QuantityError" in history.failures["metrics-server nodes"]
    reader.close()
