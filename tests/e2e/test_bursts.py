"""A burst of pods between two scrapes: what no sample shows yet must not let them pile up on one node."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from controlplane.exporter import Exporter
from controlplane.figures import START
from controlplane.observing import Observer
from controlplane.programs.prometheus import Prometheus, scrape
from controlplane.waiting import wait_until
from tests.e2e.placing import Placing

PODS = 100
SECONDS = 10.0
CORES = 8.0
# What each pod requests, and takes from the moment that it is bound.
DEMAND = 0.4
# Half of the nodes have work that nobody requested: by requests alone all ten look alike.
IDLE, BUSY = 0.05, 0.45
SCRAPE = 60.0
# A rate needs two samples, and with one lost scrape three intervals.
WINDOW = 4 * SCRAPE


@dataclass
class Demand:
    """The CPU counters of nodes whose pods take what they demand, as their exporters would give them at a scrape.

    The first scrape also brings the samples of the past `WINDOW`, one an interval. Each says its time, so that
    Prometheus does not end the series when its scrape interval changes.
    """

    bases: Mapping[str, float]
    bound: Callable[[], Mapping[str, tuple[str, float]]]
    began: float = 0.0

    def loads(self, moment: float) -> dict[str, float]:
        """Return the share of each node's cores that is demanded."""
        pods = Counter(node for node, at in self.bound().values() if at <= moment)
        return {node: base + pods[node] * DEMAND / CORES for node, base in self.bases.items()}

    def exposition(self, moment: float) -> str:
        """Return what a scrape at a moment finds."""
        past: list[float] = []
        if not self.began:
            self.began = moment - WINDOW
            past = [moment - back * SCRAPE for back in range(int(WINDOW / SCRAPE), 0, -1)]
        bound = self.bound()
        lines = ["# TYPE node_cpu_seconds_total counter"]
        for node in self.bases:
            name = f'node_cpu_seconds_total{{instance="{node}:9100",cpu="all",mode="idle"}}'
            lines += [f"{name} {self._idle(node, at, bound)} {int(at * 1000)}" for at in (*past, moment)]
        return "\n".join(lines) + "\n"

    def _idle(self, node: str, moment: float, bound: Mapping[str, tuple[str, float]]) -> float:
        busy = self.bases[node] * CORES * (moment - self.began)
        busy += sum(DEMAND * max(0.0, moment - at) for on, at in bound.values() if on == node)
        return START + CORES * (moment - self.began) - busy


@pytest.fixture
def slow_prometheus(placing: Placing) -> Iterator[Callable[[Demand], Prometheus]]:
    """Return what starts a Prometheus that has the past of all nodes and scrapes once a minute from then on."""
    with ExitStack() as stack:
        exporter = stack.enter_context(Exporter())
        jobs = [scrape("burst", exporter.address)]
        prometheus = Prometheus(placing.scene.plane.run, jobs, interval="1s", name="slow-prometheus")

        def start(demand: Demand) -> Prometheus:
            exporter.put("burst", demand.exposition)
            stack.enter_context(prometheus)
            wait_until(lambda: prometheus.value("count(rate(node_cpu_seconds_total[4m]))"), "the past of the nodes")
            prometheus.scrape(jobs, interval=f"{SCRAPE:.0f}s")
            return prometheus

        yield start


def test_a_burst_between_two_scrapes_spreads_by_load(
    placing: Placing,
    pod_observer: Observer,
    slow_prometheus: Callable[[Demand], Prometheus],
    record_property: Callable[[str, object], None],
) -> None:
    nodes = placing.scene.nodes(10)
    bases = {name: BUSY if number % 2 else IDLE for number, name in enumerate(nodes)}
    demand = Demand(bases, pod_observer.bound)
    prometheus = slow_prometheus(demand)
    placing.start(placing.policy(signals=_signals(prometheus)), measured=len(nodes))

    took = _burst(placing)
    wait_until(lambda: len(pod_observer.bound()) == PODS, "every pod to be bound", timeout=60)

    loads = demand.loads(time.time())
    mean = sum(loads.values()) / len(loads)
    record_property("busiest_to_mean", f"{max(loads.values()) / mean:.3f}")
    record_property("mean_and_least_load", f"{mean:.2f}, {min(loads.values()):.2f}")
    record_property("burst_seconds", round(took, 1))
    assert max(loads.values()) <= 1.25 * mean


def _signals(prometheus: Prometheus) -> dict[str, Any]:
    cpu = {
        "node": '1 - sum by (instance) (rate(node_cpu_seconds_total{mode="idle"}[4m])) / 8',
        "age": 'time() - max by (instance) (timestamp(node_cpu_seconds_total{mode="idle"}))',
        "rateWindow": f"{WINDOW:.0f}s",
        "additive": True,
    }
    return {
        "prometheus": {"url": prometheus.url, "timeout": "5s"},
        "step": "60s",
        "staleAfter": "180s",
        "resources": {"cpu": cpu},
    }


def _burst(placing: Placing) -> float:
    """Create the pods, evenly over the time, with two connections; return the seconds it took."""
    began = time.monotonic()
    halves = [threading.Thread(target=_create, args=(placing, start, began)) for start in (0, 1)]
    for half in halves:
        half.start()
    for half in halves:
        half.join()
    return time.monotonic() - began


def _create(placing: Placing, start: int, began: float) -> None:
    with placing.scene.api.clone() as api:
        for number in range(start, PODS, 2):
            time.sleep(max(0.0, began + number * SECONDS / PODS - time.monotonic()))
            api.create(f"/api/v1/namespaces/{placing.scene.namespace}/pods", placing.body(f"web-{number}", "400m"))
