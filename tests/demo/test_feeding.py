"""The figures that the exporter shows of pods and nodes."""

import re

import pytest

from controlplane.api import Api
from demo import feeding, load
from demo.casting import CORES, Surge
from demo.feeding import Demand, Feeder
from tests.demo.scenery import pod

FRONTEND, CART = pod("frontend", "node-1"), pod("cart", "node-1")


@pytest.fixture
def feeder() -> Feeder:
    """A feeder of two nodes that follows nobody by itself: it is not entered."""
    return Feeder(Api("https://127.0.0.1:1", ca_file="", token=""), ["node-1", "node-2"])


def grown(feeder: Feeder, pattern: str, seconds: float = 100.0) -> float:
    """Return by how much the only series that matches grows in a second."""

    def value(moment: float) -> float:
        (line,) = [text for text in feeder.figures.exposition(moment).splitlines() if re.match(pattern, text)]
        return float(line.rpartition(" ")[2])

    at = 1e10  # long after the figures were set, so that all of both moments counts
    return (value(at + seconds) - value(at)) / seconds


def test_use_of_a_node_is_what_its_pods_want(feeder: Feeder) -> None:
    feeder.feed([FRONTEND, CART], 0.0)

    wanted = sum(CORES[one.workload] * load.sway(one.name, 0.0) for one in (FRONTEND, CART))
    busy = grown(feeder, 'node_cpu_seconds_total{cpu="0",instance="node-1:9100".*mode="user"')
    assert busy == pytest.approx(wanted / load.CPUS, rel=1e-4)
    assert grown(feeder, 'node_cpu_seconds_total{cpu="0",instance="node-2:9100".*mode="idle"') == pytest.approx(1.0)
    assert grown(feeder, 'node_pressure_cpu_waiting_seconds_total{instance="node-1') == 0.0


def test_surge_makes_a_node_hot_and_its_pods_wait(feeder: Feeder) -> None:
    feeder.demand.raise_by(Surge(CART, 9.0, 1.0))

    feeder.feed([FRONTEND, CART], 0.0)

    assert grown(feeder, 'node_cpu_seconds_total{cpu="7",instance="node-1:9100".*mode="idle"') == pytest.approx(0.0)
    assert grown(feeder, 'node_pressure_cpu_waiting_seconds_total{instance="node-1') > 0.3
    cart = grown(feeder, f'container_cpu_usage_seconds_total{{container="main".*pod="{CART.name}"')
    assert CORES["cart"] < cart < 9.0 + CORES["cart"]


def test_only_the_frontend_shows_a_latency(feeder: Feeder) -> None:
    feeder.feed([FRONTEND, CART], 0.0)

    lines = [line for line in feeder.figures.exposition(0.0).splitlines() if line.startswith(feeding.LATENCY)]
    assert [FRONTEND.name in line and 'quantile="0.99"' in line for line in lines] == [True]


def test_pod_that_is_gone_leaves_no_series(feeder: Feeder) -> None:
    feeder.feed([FRONTEND, CART], 0.0)

    feeder.feed([CART], 1.0)

    text = feeder.figures.exposition(2.0)
    assert FRONTEND.name not in text
    assert CART.name in text


def test_demand_is_that_of_the_workload_and_what_the_story_adds() -> None:
    demand = Demand()
    before = demand.of(CART, 5.0)

    demand.raise_by(Surge(CART, 2.0, 1.0))

    assert demand.of(CART, 5.0) - before == pytest.approx(2.0 * load.sway(CART.name, 5.0))
    assert demand.of(FRONTEND, 5.0) == pytest.approx(CORES["frontend"] * load.sway(FRONTEND.name, 5.0))


def test_only_running_pods_take_load() -> None:
    def raw(name: str, phase: str, **metadata: str) -> dict[str, object]:
        named = {"name": name, "labels": {"app": "cart"}} | metadata
        return {"metadata": named, "spec": {"nodeName": "node-1"}, "status": {"phase": phase}}

    found = feeding.running([raw("a", "Running"), raw("b", "Pending"), raw("c", "Running", deletionTimestamp="now")])

    assert found == [load.Pod("a", "cart", "node-1")]
