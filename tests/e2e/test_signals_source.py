"""Made-up figures reach a real Prometheus under their real names."""

import pytest

from controlplane.node_figures import NodeFigures, NodeUse, Place, PodUse
from controlplane.programs import node_exporter
from controlplane.programs.prometheus import Prometheus, scrape
from controlplane.runs import Run
from controlplane.waiting import wait_until

NEAR = 0.03


def value_near(prometheus: Prometheus, expression: str, value: float) -> float | None:
    """Return what a query gives once it is near a value: a rate needs its whole window filled."""
    return wait_until(
        lambda: found if (found := prometheus.value(expression)) == pytest.approx(value, rel=NEAR) else None,
        f"{expression} to be {value}",
        seen=lambda: prometheus.value(expression),
    )


def test_use_of_a_node_is_what_was_set(prometheus: Prometheus, node_figures: NodeFigures) -> None:
    node_figures.node("n1", NodeUse(cpus=2, cpu=0.75, cpu_pressure=0.4))

    use = '1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle",instance="n1:9100"}[4s]))'
    pressure = 'rate(node_pressure_cpu_waiting_seconds_total{instance="n1:9100"}[4s])'
    assert value_near(prometheus, use, 0.75) == pytest.approx(0.75, rel=NEAR)
    assert value_near(prometheus, pressure, 0.4) == pytest.approx(0.4, rel=NEAR)


def test_use_and_indicator_of_a_pod_are_what_was_set(prometheus: Prometheus, node_figures: NodeFigures) -> None:
    node_figures.pod(Place("t", "web-1", "n1"), PodUse(cpu=1.5))
    node_figures.indicator("app_latency_seconds", 0.25, namespace="t", pod="web-1")

    cores = 'sum by (namespace, pod) (rate(container_cpu_usage_seconds_total{container!="",pod="web-1"}[4s]))'
    assert value_near(prometheus, cores, 1.5) == pytest.approx(1.5, rel=NEAR)
    assert prometheus.query("app_latency_seconds")[0][0]["pod"] == "web-1"


def test_silenced_node_goes_stale_at_the_next_scrape(prometheus: Prometheus, node_figures: NodeFigures) -> None:
    node_figures.node("n2", NodeUse())
    series = 'count(node_cpu_seconds_total{instance="n2:9100"})'
    wait_until(lambda: prometheus.value(series), "a sample of n2", timeout=10)

    node_figures.silence_node("n2")
    wait_until(lambda: prometheus.value(series) is None, "the series of n2 to end", timeout=20)

    # Without the mark of staleness Prometheus would give the last sample for five minutes.
    assert prometheus.query('up{job="figures"}')[0][1] == 1


def test_real_node_exporter_is_scraped_and_its_end_is_seen() -> None:
    with Run() as run, node_exporter.node_exporter(run) as exporter:
        jobs = [scrape("node-exporter", node_exporter.address(run))]
        with Prometheus(run, jobs) as prometheus:
            wait_until(lambda: prometheus.value("up") == 1, "the first scrape", timeout=10)
            assert prometheus.query('node_cpu_seconds_total{mode="idle"}')

            exporter.kill()

            wait_until(lambda: prometheus.value("up") == 0, "the failed scrape", timeout=10)
