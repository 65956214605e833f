"""A replica of the extender at work under the shipped roles."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from extender.polling import Sources
from extender.service import Service, Surroundings
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from sources.policy_file import PolicyFile
from tests.extender.test_polling import FakeSource
from tests.manifests import NAMESPACE, rights
from tests.raw import raw_node, raw_pod

POLICY = """
apiVersion: bayplan.dev/v1alpha1
kind: Policy
signals: {resources: {cpu: {node: q, age: q, additive: true}}}
"""


@pytest.fixture
def extender(tmp_path: Path) -> Iterator[tuple[Service, ApiServer]]:
    """A replica of the extender that has only its shipped rights."""
    clock = ManualClock()
    api = ApiServer(clock)
    api.put(raw_node("n1"), raw_node("n2"), raw_pod("web-0"), raw_pod("extender-0", namespace=NAMESPACE))
    source = FakeSource(clock)
    (tmp_path / "policy.yaml").write_text(POLICY)

    service = Service(
        Surroundings(
            api=api.connect("extender-0", rights("extender")),
            policy_file=PolicyFile(tmp_path / "policy.yaml", clock=clock),
            open_sources=lambda _: Sources(signals=source, slacks=source),
            namespace=NAMESPACE,
            identity="extender-0",
            close=api.close,
            clock=clock,
        )
    )
    service.start()
    yield service, api
    service.stop()
