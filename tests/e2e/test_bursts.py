"""A burst of pods between two scrapes: what no sample shows yet must not let them pile up on one node."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

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


@dataclass
class Slow:
    """A Prometheus that has the past of all nodes and scrapes once a minute."""

    prometheus: Prometheus
    jobs: list[dict[str, Any]]

    def pace(self, seconds: float) -> None:
        """Scrape so often from now on; Prometheus spreads targets over an interval, so the first may come any time."""
        self.prometheus.scrape(self.jobs, interval=f"{seconds:.0f}s")


@pytest.fixture
def slow(placing: Placing, pod_observer: Observer) -> Iterator[tuple[Slow, Demand]]:
    """Ten nodes with their past in a Prometheus."""
    nodes = placing.scene.nodes(10)
    bases = {name: BUSY if number % 2 else IDLE for number, name in enumerate(nodes)}
    demand = Demand(bases, pod_observer.bound)
    with Exporter() as exporter:
        exporter.put("burst", demand.exposition)
        jobs = [scrape("burst", exporter.address)]
        with Prometheus(placing.scene.plane.run, jobs, interval="1s", name=f"{placing.scene.name}-slow") as prometheus:
            wait_until(lambda: prometheus.value("count(rate(node_cpu_seconds_total[4m]))"), "the past of the nodes")
            made = Slow(prometheus, jobs)
            made.pace(SCRAPE)
            yield made, demand


@pytest.mark.parametrize("polled", ["before", "in-its-midst"])
def test_a_burst_spreads_by_load_although_no_sample_shows_it(
    placing: Placing, slow: tuple[Slow, Demand], record_property: Callable[[str, object], None], polled: str
) -> None:
    paced, demand = slow
    policy = placing.policy(signals=_signals(paced.prometheus))
    extender = placing.start(policy, measured=len(demand.bases))
    first = extender.readyz()["policyHash"]

    with _Burst(placing) as burst:
        if polled == "in-its-midst":
            # A scrape that has seen some of the pods for a moment, and at once a poll: a changed policy brings one.
            paced.pace(1)
            extender.use(policy | {"steering": {"avoidSource": "11m"}})
    wait_until(lambda: len(demand.bound()) == PODS, "every pod to be bound", timeout=60)

    loads = demand.loads(time.time())
    mean = sum(loads.values()) / len(loads)
    record_property("busiest_to_mean", f"{max(loads.values()) / mean:.3f}")
    record_property("mean_and_least_load", f"{mean:.2f}, {min(loads.values()):.2f}")
    record_property("burst_seconds", round(burst.took, 1))
    assert (extender.readyz()["policyHash"] != first) == (polled == "in-its-midst")
    assert max(loads.values()) <= 1.25 * mean


class _Burst:
    """The pods, created evenly over the time with two connections while the block runs and until all are there."""

    def __init__(self, placing: Placing) -> None:
        self._placing = placing
        self._began = time.monotonic()
        self._halves = [threading.Thread(target=self._create, args=(start,)) for start in (0, 1)]
        self.took = 0.0

    def __enter__(self) -> Self:
        for half in self._halves:
            half.start()
        return self

    def __exit__(self, *_: object) -> None:
        for half in self._halves:
            half.join()
        self.took = time.monotonic() - self._began

    def _create(self, start: int) -> None:
        with self._placing.scene.api.clone() as api:
            for number in range(start, PODS, 2):
                time.sleep(max(0.0, self._began + number * SECONDS / PODS - time.monotonic()))
                body = self._placing.body(f"web-{number}", "400m")
                api.create(f"/api/v1/namespaces/{self._placing.scene.namespace}/pods", body)


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
