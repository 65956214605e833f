"""Made-up series."""

import math

from hypothesis import given
from hypothesis import strategies as st

from controlplane.figures import START, Figures
from controlplane.node_figures import NodeFigures, NodeUse, Place, PodUse


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def values(text: str) -> dict[str, float]:
    """Return the value of every line of an exposition, by name and labels."""
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {series: float(value) for series, _, value in lines}


def test_gauge_is_exposed_with_its_labels_and_type() -> None:
    figures = Figures()

    figures.gauge("app_latency_seconds", 0.25, {"pod": "web-1", "namespace": "t"})

    text = figures.exposition(0)
    assert text == '# TYPE app_latency_seconds gauge\napp_latency_seconds{namespace="t",pod="web-1"} 0.25\n'


def test_not_a_number_and_infinity_are_written_as_prometheus_reads_them() -> None:
    figures = Figures()
    for name, value in (("a", math.nan), ("b", math.inf), ("c", -math.inf)):
        figures.gauge(name, value, {})

    assert [line for line in figures.exposition(0).splitlines() if line[0] != "#"] == ["a NaN", "b +Inf", "c -Inf"]


def test_label_values_are_escaped() -> None:
    figures = Figures()

    figures.gauge("a", 1, {"path": 'C:\\ "x"\n'})

    assert r'a{path="C:\\ \"x\"\n"} 1' in figures.exposition(0)


def test_counter_starts_with_a_past_and_goes_on_when_its_rate_changes() -> None:
    clock = Clock()
    figures = Figures(clock)
    figures.counter("c", 2.0, {})
    clock.now += 10
    figures.counter("c", 0.5, {})

    assert values(figures.exposition(1010))["c"] == START + 20
    assert values(figures.exposition(1014))["c"] == START + 22


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e4)), min_size=1))
def test_counter_never_falls_while_rates_are_not_negative(steps: list[tuple[float, float]]) -> None:
    clock = Clock()
    figures = Figures(clock)
    last = START

    for rate, pause in steps:
        figures.counter("c", rate, {})
        clock.now += pause
        value = values(figures.exposition(clock.now))["c"]
        assert value >= last
        last = value


def test_dropped_series_vanish_and_others_stay() -> None:
    figures = Figures()
    for node in ("n1", "n2"):
        figures.gauge("a", 1, {"node": node})
        figures.gauge("b", 1, {"node": node})

    figures.drop("a", node="n1")
    assert list(values(figures.exposition(0))) == ['a{node="n2"}', 'b{node="n1"}', 'b{node="n2"}']
    figures.drop(node="n2")
    assert list(values(figures.exposition(0))) == ['b{node="n1"}']


def test_idle_and_busy_time_of_a_node_add_up_to_its_cpus() -> None:
    clock = Clock()
    figures = Figures(clock)

    NodeFigures(figures).node("n1", NodeUse(cpus=4, cpu=0.75, cpu_pressure=0.3))

    found = values(figures.exposition(clock.now + 100))
    busy = [value for series, value in found.items() if 'mode="user"' in series]
    idle = [value for series, value in found.items() if 'mode="idle"' in series]
    assert sum(busy) == 4 * START + 300
    assert sum(idle) == 4 * START + 100
    assert found['node_pressure_cpu_waiting_seconds_total{instance="n1:9100",job="node-exporter"}'] == START + 30


def test_pod_has_a_row_for_its_group_and_one_for_its_container() -> None:
    clock = Clock()
    figures = Figures(clock)

    NodeFigures(figures).pod(Place("t", "web-1", "n1"), PodUse(cpu=2.0))

    found = values(figures.exposition(clock.now + 10))
    rows = [series for series in found if series.startswith("container_cpu_usage_seconds_total")]
    assert [('container=""' in row, 'container="main"' in row) for row in rows] == [(True, False), (False, True)]
    assert {found[row] for row in rows} == {START + 20.0}
    assert not [series for series in found if "bandwidth" in series or "perf_events" in series]


def test_cache_events_and_bandwidth_appear_when_they_are_set() -> None:
    clock = Clock()
    figures = Figures(clock)

    NodeFigures(figures).pod(Place("t", "web-1", "n1"), PodUse(bandwidth=1e9, llc_loads=1e6, llc_misses=4e5))

    text = figures.exposition(clock.now + 1)
    assert 'event="LLC-load-misses"' in text
    assert 'event="LLC-loads"' in text
    assert "container_memory_bandwidth_bytes" in text


def test_silenced_node_takes_the_series_of_its_pods_along() -> None:
    figures = Figures()
    given_figures = NodeFigures(figures)
    given_figures.node("n1", NodeUse())
    given_figures.pod(Place("t", "web-1", "n1"), PodUse())
    given_figures.indicator("app_latency_seconds", 0.2, namespace="t", pod="web-1")

    given_figures.silence_node("n1")
    assert list(values(figures.exposition(0))) == ['app_latency_seconds{namespace="t",pod="web-1"}']
    given_figures.silence_pod("t", "web-1")
    assert figures.exposition(0) == ""
