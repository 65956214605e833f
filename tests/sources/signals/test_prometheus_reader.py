"""The policy's queries become readings; one in trouble disturbs no other."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from policies.buoyancy.coverage import coverage
from policies.buoyancy.saturation import saturate
from policies.model.scope import Selector
from policies.model.slos import Slo
from policies.values.signals import Freshness
from simulator.clock import ManualClock
from sources.prometheus.errors import QueryRefused, SourceUnreachable
from sources.prometheus.series import Dated
from sources.signals.prometheus_reader import PrometheusReader
from sources.signals.reader import Inventory, SignalReader
from tests.builders import make_node
from tests.sources.signals.source_fake import AT, FakeSource, policy_of

CPU = {"node": "use", "pressure": "psi", "age": "age", "pod": "pod", "pod_age": "pod_age", "workload": "workload"}
NODES = {name: make_node(name) for name in ("n1", "n2")}
Reading = Callable[..., PrometheusReader]


def node(name: str) -> dict[str, str]:
    return {"node": name}


def pod(name: str) -> dict[str, str]:
    return {"namespace": "shop", "pod": name}


def slo(name: str = "p99", **changes: Any) -> Slo:
    return Slo(
        **({"name": name, "selector": Selector(), "indicator": "slow", "age": "slow_age", "at_most": 0.25} | changes)
    )


@pytest.fixture
def source() -> FakeSource:
    return FakeSource(
        use=[(node("n1"), 0.5), (node("n2"), 0.9)],
        psi=[(node("n1"), 0.1), (node("n2"), 0.2)],
        age=[(node("n1"), 5.0), (node("n2"), 300.0)],
        pod=[(pod("web-0"), 1.5), (pod("deleted"), 9.0)],
        pod_age=[(pod("web-0"), 4.0)],
        workload=[({"namespace": "shop", "workload": "web"}, 3.0)],
        slow=[(pod("web-0"), 0.3)],
        slow_age=[(pod("web-0"), 4.0)],
    )


@pytest.fixture
def reading(source: FakeSource) -> Iterator[Reading]:
    opened: list[PrometheusReader] = []
    inventory = Inventory(nodes=NODES, pods={"shop/web-0"})

    def open_reader(**policy: Any) -> PrometheusReader:
        opened.append(PrometheusReader(policy_of(**({"cpu": CPU} | policy)), source, lambda: inventory))
        return opened[-1]

    yield open_reader
    for reader in opened:
        reader.close()


def test_latest_has_one_column_of_nodes_and_workloads_and_asks_for_no_pods(
    reading: Reading, source: FakeSource
) -> None:
    history = reading(slos=[slo()]).latest(AT)

    cpu = history.resources["cpu"]
    assert history.times.tolist() == [AT]
    assert cpu.node.newest("n1") == 0.5
    assert cpu.node.state("n2") is Freshness.STALE
    assert cpu.pressure is not None
    assert cpu.pressure.newest("n1") == 0.1
    assert cpu.workload is not None
    assert cpu.workload.newest("shop/web") == 3.0
    assert (history.slos, history.failures) == ({}, {})
    assert set(source.asked) == {"use", "psi", "age", "workload"}


def test_history_goes_back_in_steps(reading: Reading) -> None:
    history = reading(slos=[slo()]).history(AT, span=61.0)

    assert history.times.tolist() == [AT - 60, AT - 45, AT - 30, AT - 15, AT]
    assert history.step == 15.0
    assert history.resources["cpu"].node.values[0].tolist() == [0.5] * 5
    assert history.slos["p99"].newest("shop/web-0") == 0.3
    assert history.resources["cpu"].workload is None


def test_history_of_one_column_is_asked_as_an_instant(reading: Reading, source: FakeSource) -> None:
    history = reading().history(AT, span=10.0)

    assert history.times.tolist() == [AT]
    assert "use" in source.asked


def test_pods_are_live_ones_with_their_own_age(reading: Reading) -> None:
    grid = reading().pods("cpu", AT)

    assert grid.objects == ("shop/web-0",)
    assert grid.newest("shop/web-0") == 1.5
    assert grid.ages.tolist() == [[4.0]]
    assert grid.verified


def test_workloads_are_read_alone(reading: Reading, source: FakeSource) -> None:
    grid = reading().workloads("cpu", AT)

    assert grid.newest("shop/web") == 3.0
    assert not grid.verified
    assert source.asked == ["workload"]


def test_resource_without_a_query_gives_an_empty_grid(reading: Reading, source: FakeSource) -> None:
    reader = reading(cpu={"node": "use"})

    assert reader.pods("cpu", AT).objects == ()
    assert reader.pods("gpu", AT).objects == ()
    assert reader.latest(AT).resources["cpu"].pressure is None
    assert "pod" not in source.asked


def test_objective_by_workload_is_named_by_workload(reading: Reading, source: FakeSource) -> None:
    source.answers["slow"] = [({"namespace": "shop", "deployment": "web"}, 0.3)]
    source.answers["slow_age"] = [({"namespace": "shop", "deployment": "web"}, 1.0)]

    history = reading(slos=[slo(per="workload")]).history(AT, span=0.0)

    assert history.slos["p99"].newest("shop/web") == 0.3


def test_objective_without_age_is_unverified(reading: Reading) -> None:
    history = reading(slos=[slo(age=None)]).history(AT, span=0.0)

    assert not history.slos["p99"].verified
    assert history.slos["p99"].newest("shop/web-0") == 0.3


def test_failing_query_marks_its_own_signal_only(reading: Reading, source: FakeSource) -> None:
    source.answers["psi"] = QueryRefused(400, "parse error")
    reader = reading(memory={"node": "memory"}, slos=[slo()])
    source.answers["memory"] = [(node("n1"), 0.2), (node("n2"), 0.2)]

    history = reader.history(AT, span=30.0)

    assert history.failures == {"cpu.pressure": "HTTP 400: parse error"}
    pressure = history.resources["cpu"].pressure
    assert pressure is not None
    assert (pressure.objects, pressure.values.shape) == ((), (0, 3))
    assert history.resources["cpu"].node.newest("n1") == 0.5
    assert history.resources["memory"].node.newest("n1") == 0.2
    assert history.slos["p99"].newest("shop/web-0") == 0.3


@pytest.mark.parametrize(("answer", "share"), [([(node("n1"), 0.2)], 1.0), (QueryRefused(422, "many-to-many"), 0.0)])
def test_nodes_are_not_covered_while_a_query_with_an_age_fails(
    reading: Reading, source: FakeSource, answer: Any, share: float
) -> None:
    signals = {name: {"node": name, "age": "age"} for name in ("use", "llc")}
    source.answers["llc"] = answer

    history = reading(cpu=signals["use"], llc=signals["llc"]).history(AT, span=30.0)

    policy = policy_of(cpu=signals["use"], llc=signals["llc"])
    assert coverage(saturate(history, policy.signals, nodes=("n1",)), among=("n1",)) == share


def test_failing_age_query_leaves_its_values_stale(reading: Reading, source: FakeSource) -> None:
    source.answers["age"] = SourceUnreachable("refused")

    cpu = reading().latest(AT).resources["cpu"]

    assert cpu.node.state("n1") is Freshness.STALE
    assert cpu.node.verified


def test_everything_down_is_no_exception(reading: Reading, source: FakeSource) -> None:
    for query in source.answers:
        source.answers[query] = SourceUnreachable("refused")
    reader = reading(slos=[slo()])

    history = reader.history(AT, span=30.0)

    assert set(history.failures) == {"cpu.node", "cpu.pressure", "cpu.age", "slo/p99", "slo/p99.age"}
    assert history.resources["cpu"].node.values.shape == (0, 3)
    assert history.slos["p99"].values.shape == (0, 3)
    assert reader.pods("cpu", AT).objects == ()


@pytest.mark.parametrize(
    ("ahead", "believed"),
    [(-300.0, True), (0.0, True), (9.0, True), (300.0, False)],
)
def test_nothing_of_a_prometheus_whose_clock_is_ahead_is_believed(
    source: FakeSource, ahead: float, *, believed: bool
) -> None:
    clock = ManualClock()
    clock.advance(1000)
    source.dated = Dated(AT + ahead, 1000.0)
    reader = PrometheusReader(policy_of(cpu=CPU), source, lambda: Inventory(nodes=NODES), clock=clock)

    history = reader.history(AT, span=30.0)
    reader.close()

    assert (history.resources["cpu"].node.newest("n1") is not None) is believed
    words = "the clock of Prometheus is 300 s ahead of the API server's, allowed are 10 s"
    assert set(history.failures.values()) == (set() if believed else {words})


def test_an_old_date_is_taken_from_when_it_came(source: FakeSource) -> None:
    clock = ManualClock()
    source.dated = Dated(AT - 1000.0, clock.monotonic())
    clock.advance(1000)
    reader = PrometheusReader(policy_of(cpu=CPU), source, lambda: Inventory(nodes=NODES), clock=clock)

    history = reader.history(AT, span=30.0)
    reader.close()

    assert history.failures == {}


def test_query_without_series_is_named(reading: Reading, source: FakeSource) -> None:
    source.answers |= {"use": [], "slow": [], "slow_age": []}

    history = reading(slos=[slo()]).history(AT, span=0.0)

    assert history.failures == {"cpu.node": "gave no series"}


def test_without_nodes_nothing_is_expected(source: FakeSource) -> None:
    source.answers["use"] = []
    reader = PrometheusReader(policy_of(cpu={"node": "use"}), source, Inventory)

    assert reader.latest(AT).failures == {}
    reader.close()
    assert source.closed


def test_trouble_is_logged_once_per_change(
    reading: Reading, source: FakeSource, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    reader = reading(cpu={"node": "use"})
    good = source.answers["use"]
    double = [*good, ({"node": "n1", "instance": "x"}, 0.5)]

    for answer in (double, double, good, good, double):
        source.answers["use"] = answer
        reader.latest(AT)

    both = 'signal cpu.node: {node="n1"} and {instance="x", node="n1"} both mean node n1'
    assert [record.message for record in caplog.records] == [both, "signal cpu.node: usable again", both]
    assert reader.failures() == {"cpu.node": both.removeprefix("signal cpu.node: ")}


def test_reader_is_the_port(reading: Reading) -> None:
    reader: SignalReader = reading()

    assert np.isnan(reader.latest(AT).resources["cpu"].node.values[1, 0])
