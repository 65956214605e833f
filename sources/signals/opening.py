"""The reader that a policy asks for; it starts nothing and asks nothing yet."""

from policies.model.policy import Policy
from sources.clocks import Clock
from sources.kube.api import KubeApi
from sources.metrics_server import MetricsServerReader
from sources.prometheus.adapter import PrometheusSource
from sources.signals.prometheus_reader import PrometheusReader
from sources.signals.reader import Inventories, OpenReader


def open_signals(
    policy: Policy, inventory: Inventories, *, api: KubeApi | None = None, clock: Clock | None = None
) -> OpenReader:
    """Return a reader of the policy's source. `inventory` is asked at each reading whom there is to measure.

    Raises:
        ValueError: the source is metrics-server and no API is given.
    """
    if policy.signals.source == "prometheus":
        source = PrometheusSource(policy.signals.prometheus, clock=clock)
        return PrometheusReader(policy, source, inventory, clock=clock)
    if api is None:
        raise ValueError("seen source metrics-server without a Kubernetes API; allowed is with one")
    return MetricsServerReader(policy, api, inventory)
