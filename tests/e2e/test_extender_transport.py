"""How kube-scheduler reaches the extender: TLS with client certificates, and calls with whole nodes."""

from pathlib import Path
from typing import Any

import yaml

from controlplane.observing import Observer
from controlplane.waiting import wait_until
from tests.e2e.placing import SCHEDULER, Placing, fill, going, urgent
from tests.e2e.services import Extender
from tests.manifests import DEPLOY

CONGESTED = 0.95
SHIPPED = DEPLOY / "overlays/service/scheduler-configuration.yaml"
ROOT = Path(__file__).parents[1]
SERVER, CLIENT = ROOT / "sources/tls", ROOT / "extender/tls"


def test_only_a_scheduler_with_a_client_certificate_is_answered(placing: Placing) -> None:
    hot, cold = placing.scene.nodes(2)
    placing.measure(hot, cpu=CONGESTED)
    placing.measure(cold, cpu=0.5)
    options = (
        f"--tls-certificate={SERVER / 'server.pem'}",
        f"--tls-key={SERVER / 'server-key.pem'}",
        f"--tls-client-ca={CLIENT / 'client-ca.pem'}",
    )
    extender = placing.extend(
        placing.services.extender(placing.policy(), on=placing.host(), kubeconfig=placing.rights(), options=options)
    )
    placing.wait_measured(extender, 2)

    placing.schedule(_with_tls(extender, certificate=False))
    placing.place("unasked")  # a stranger is not answered; scheduling goes on without us
    assert _asked(extender) == 0

    placing.schedule(_with_tls(extender, certificate=True))
    assert [placing.place(f"web-{number}") for number in range(3)] == [cold] * 3
    assert _asked(extender) >= 3


def test_calls_with_whole_nodes_are_answered_and_reported_once(placing: Placing, pod_observer: Observer) -> None:
    hot, cold = placing.scene.nodes(2)
    placing.measure(hot, cpu=CONGESTED)
    placing.measure(cold, cpu=0.5)
    extender = placing.start(placing.policy(), measured=2, nodeCacheCapable=False)

    assert [placing.place(f"web-{number}") for number in range(3)] == [cold] * 3

    for name in (hot, cold):
        fill(placing, name, f"low-on-{name}", "low")
    urgent(placing)
    placing.scene.wait_bound("urgent")
    assert len(going(pod_observer)) == 1
    assert extender.metric("bayplan_extender_whole_object_requests_total", verb="filter") >= 3
    assert extender.metric("bayplan_extender_whole_object_requests_total", verb="preempt") >= 1
    assert extender.metric("bayplan_extender_faults_total") == 0
    wait_until(lambda: "nodeCacheCapable" in extender.program.tail(1000), "the report")
    assert extender.program.tail(1000).count("set nodeCacheCapable: true") == 1


def _with_tls(extender: Extender, *, certificate: bool) -> dict[str, Any]:
    """Return the configuration shipped for the Service, with this machine's address and files."""
    configuration: dict[str, Any] = yaml.safe_load(SHIPPED.read_text())
    (entry,) = configuration["extenders"]
    entry["urlPrefix"] = extender.url.replace("http:", "https:")
    entry["tlsConfig"] |= {
        "serverName": "localhost",
        "caFile": str(SERVER / "ca.pem"),
        "certFile": str(CLIENT / "client.pem"),
        "keyFile": str(CLIENT / "client-key.pem"),
    }
    if not certificate:
        del entry["tlsConfig"]["certFile"], entry["tlsConfig"]["keyFile"]
    configuration["profiles"][0]["schedulerName"] = SCHEDULER
    return configuration


def _asked(extender: Extender) -> float:
    return extender.metric("bayplan_extender_request_seconds_count", verb="filter")
