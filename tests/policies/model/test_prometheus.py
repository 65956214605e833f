"""What the address of Prometheus says beyond where to connect."""

import pytest

from policies.model.prometheus import Prometheus


@pytest.mark.parametrize(
    ("url", "namespace"),
    [
        ("http://prometheus:9090", None),
        ("prometheus.observability:9090", "observability"),
        ("https://prometheus.observability.svc:9090/prom", "observability"),
        ("http://prometheus.observability.svc.cluster.local:9090", "observability"),
        ("https://prometheus.example.com", None),
        ("http://10.0.0.5:9090", None),
        ("http://[fd00::5]:9090", None),
    ],
)
def test_a_services_address_tells_its_namespace(url: str, namespace: str | None) -> None:
    assert Prometheus(url=url).namespace == namespace
