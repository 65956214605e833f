"""The series: their names are a contract with dashboards, their number is bounded."""

import math

from descheduler.metrics import Metrics
from policies.values.signals import Freshness
from policies.values.workloads import WorkloadRef


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    """Return one sample."""
    return metrics.registry.get_sample_value(f"bayplan_descheduler_{name}", labels)


def test_the_exposition_carries_our_prefix_only() -> None:
    metrics = Metrics()
    metrics.cycles.labels("done").inc()

    names = {line.split()[2] for line in metrics.text().decode().splitlines() if line.startswith("# TYPE")}

    assert "bayplan_descheduler_cycles_total" in names
    assert all(name.startswith("bayplan_descheduler_") for name in names)


def test_two_processes_in_one_interpreter_do_not_share_series() -> None:
    first, second = Metrics(), Metrics()

    first.leader.set(1)

    assert (value(first, "leader"), value(second, "leader")) == (1, 0)


def test_fc_082_evictions_are_counted_by_workload_with_a_bounded_number_of_series() -> None:
    metrics = Metrics()

    for number in range(1005):
        metrics.workload_evicted(WorkloadRef("Deployment", "shop", f"web-{number}"))
    metrics.workload_evicted(WorkloadRef("Deployment", "shop", "web-0"))
    metrics.workload_evicted(None)

    assert value(metrics, "workload_evictions_total", namespace="shop", workload="Deployment/web-0") == 2
    assert value(metrics, "workload_evictions_total", namespace="other", workload="other") == 6


def test_a_signal_shows_its_states_and_an_unknown_age_as_nan() -> None:
    metrics = Metrics()

    metrics.saw_signal("cpu.node", {Freshness.FRESH: 3, Freshness.STALE: 1}, 17.5)
    metrics.saw_signal("llc.node", {}, None)

    assert value(metrics, "signal_objects", signal="cpu.node", state="fresh") == 3
    assert value(metrics, "signal_objects", signal="cpu.node", state="missing") == 0
    assert value(metrics, "signal_age_seconds", signal="cpu.node") == 17.5
    assert math.isnan(value(metrics, "signal_age_seconds", signal="llc.node") or 0.0)
