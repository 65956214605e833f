"""The policy says which source is read, and at the start every query is tried once."""

import pytest

from policies.model.policy import Policy
from policies.model.scope import Selector
from policies.model.signals import ResourceSignal, Signals
from policies.model.slos import Slo
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from sources.metrics_server import MetricsServerReader
from sources.prometheus.errors import QueryRefused
from sources.signals.opening import open_signals
from sources.signals.probing import Probe, probe
from sources.signals.prometheus_reader import PrometheusReader
from sources.signals.queries import all_queries
from sources.signals.reader import Inventory
from tests.builders import make_node
from tests.sources.signals.source_fake import AT, FakeSource, policy_of

METRICS_SERVER = Policy(
    api_version="bayplan.dev/v1alpha1",
    kind="Policy",
    signals=Signals(source="metrics-server", resources={"cpu": ResourceSignal(pod_per="allocatable")}),
)


def test_source_of_the_policy_is_opened() -> None:
    prometheus = open_signals(policy_of(cpu={"node": "use"}), Inventory)
    plain = open_signals(METRICS_SERVER, Inventory, api=ApiServer(ManualClock()))

    assert isinstance(prometheus, PrometheusReader)
    assert isinstance(plain, MetricsServerReader)
    prometheus.close()
    plain.close()


def test_metrics_server_needs_the_api() -> None:
    with pytest.raises(ValueError, match="without a Kubernetes API; allowed is with one"):
        open_signals(METRICS_SERVER, Inventory)


def test_fc_057_every_query_is_probed_and_reported_by_name(caplog: pytest.LogCaptureFixture) -> None:
    policy = policy_of(
        cpu={"node": "use", "age": "age", "pod": "pod"},
        slos=[Slo(name="p99", selector=Selector(), indicator="slow", at_most=0.25)],
    )
    source = FakeSource(use=[({"node": "n1"}, 1.0), ({"node": "vm"}, 1.0)], age=QueryRefused(400, "parse error"))

    found = {one.name: one for one in probe(policy, source, Inventory(nodes={"n1": make_node()}), at=AT)}

    assert found["cpu.node"] == Probe(name="cpu.node", query="use", series=2, matched=1)
    assert found["cpu.age"] == Probe(name="cpu.age", query="age", trouble="HTTP 400: parse error")
    assert found["cpu.pod"].trouble == found["slo/p99"].trouble == "gave 0 series"
    assert "query cpu.pod: gave 0 series (pod)" in caplog.text
    assert "cpu.node" not in caplog.text
    assert set(found) == set(all_queries(policy))
