"""The shipped layouts on a real API server: they apply, their pods are let in, their roles suffice, they go away."""

import contextlib
import itertools
import json
import re
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from controlplane import configs, objects
from controlplane.api import ApiRefusedError
from controlplane.building import Binaries
from controlplane.clusters import ControlPlane, Options
from controlplane.node_figures import NodeFigures
from controlplane.objects import PodShape
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import wait_until
from policies.values.records import EvictionRecord, Landing, RecordState, Verification
from policies.values.workloads import WorkloadRef
from sources.kube.records import decode_record, encode_record, encode_status, records_path
from tests import manifests
from tests.e2e.descheduling import Descheduling
from tests.e2e.scenes import Scene
from tests.e2e.shipped import Layout
from tests.manifests import DEPLOY, LAYOUTS, NAMESPACE

COMPONENTS = {
    "base": {"scheduler": 2},
    "overlays/control-plane-host": {"extender": 1},
    "overlays/service": {"extender": 2},
    "overlays/descheduler-deployment": {"scheduler": 2, "descheduler": 2},
}
CONTROL_PLANE_ROLE = {"node-role.kubernetes.io/control-plane": ""}
MERGE = "application/merge-patch+json"
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def cluster(binaries: Binaries) -> Iterator[ControlPlane]:
    """A control plane of its own: the layouts are cluster-wide and come and go."""
    with ControlPlane(binaries, Options(nodes=2, scheduler=configs.without_extender())) as plane:
        plane.add_nodes(1, prefix="host", shape=objects.NodeShape(labels=CONTROL_PLANE_ROLE))
        yield plane


@pytest.fixture(scope="module")
def base(cluster: ControlPlane) -> Iterator[Layout]:
    """The layout base, applied for all tests that ask for it; those of the layouts stand before them."""
    layout = Layout(cluster, "base")
    layout.apply()
    yield layout
    layout.remove()


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_applies_its_pods_are_let_in_and_it_goes_away(cluster: ControlPlane, name: str) -> None:
    layout = Layout(cluster, name)

    try:
        layout.apply()
        for component, count in COMPONENTS[name].items():
            layout.wait_running(component, count)
        if name != "overlays/descheduler-deployment":
            cluster.kubectl("-n", NAMESPACE, "create", "job", "--from=cronjob/bayplan-descheduler", "once")
            layout.wait_running("descheduler", 1)
    finally:
        layout.remove()

    with pytest.raises(ApiRefusedError, match="404"):
        cluster.admin.get(f"/api/v1/namespaces/{NAMESPACE}")


@pytest.mark.parametrize("name", LAYOUTS)
def test_kubectl_renders_what_the_unit_tests_read(cluster: ControlPlane, name: str) -> None:
    text = cluster.kubectl("kustomize", str(DEPLOY / name))
    shown = list(yaml.safe_load_all(re.sub(r"(bayplan-scheduler-configuration)-[a-z0-9]{10}", r"\1", text)))

    read = manifests.rendered(name)

    ours = {manifests.identity(raw): unlabelled(raw) for raw in read}
    assert {manifests.identity(raw): unlabelled(raw) for raw in shown} == ours
    assert all(raw["metadata"]["labels"]["app.kubernetes.io/name"] == "bayplan" for raw in shown)


def unlabelled(raw: Any) -> Any:
    """Return an object without the label that Kustomize puts everywhere, and what is empty without it."""
    if isinstance(raw, list):
        return [unlabelled(entry) for entry in raw]
    if not isinstance(raw, dict):
        return raw
    kept = {key: unlabelled(value) for key, value in raw.items() if key != "app.kubernetes.io/name"}
    return {key: value for key, value in kept.items() if key not in {"labels", "metadata"} or value}


def test_record_comes_back_from_the_server_as_it_was_written(base: Layout) -> None:
    record = EvictionRecord(
        name="0d1c7c8e-0000-4000-8000-000000000001",
        pod_uid="0d1c7c8e-0000-4000-8000-000000000001",
        pod="web-0",
        namespace="shop",
        node="n1",
        rule="buoyancy",
        reason="headroom -0.2 below 0",
        at=0.0,
        workload=WorkloadRef("Deployment", "shop", "web"),
        controller=WorkloadRef("ReplicaSet", "shop", "web-1"),
        destination="n2",
        writer="a",
        policy_hash="abc",
        evidence={"headroom": -0.2, "node.cpu": 1.2},
    )
    api = base.plane.admin

    made = api.create(records_path(NAMESPACE), encode_record(record, NAMESPACE))
    seen = Verification(landing=Landing.MOVED, replacement="web-9", replacement_uid="u9", node="n2", ready_at=5.25)
    after = replace(record, state=RecordState.ACCEPTED, answer="201", verification=seen)
    patch = {"status": encode_status(after)}
    patched = api.call("PATCH", records_path(NAMESPACE, record.name), patch, content_type=MERGE)

    assert without_server_fields(decode_record(made)) == without_server_fields(record)
    assert without_server_fields(decode_record(patched)) == without_server_fields(after)
    table = base.plane.kubectl("-n", NAMESPACE, "get", "evrec")
    assert table.split()[:8] == ["NAME", "NAMESPACE", "POD", "NODE", "RULE", "STATE", "LANDING", "AGE"]
    assert "Moved" in table


def without_server_fields(record: EvictionRecord) -> EvictionRecord:
    """Return a record without what the server gives it."""
    return replace(record, at=0.0, resource_version="")


def test_nobody_of_ours_may_delete_a_pod_or_read_a_secret(base: Layout) -> None:
    plane = base.plane
    for account in ("bayplan-extender", "bayplan-descheduler"):
        with plane.connect(plane.service_account_token(NAMESPACE, account)) as api:
            for method, path in (
                ("DELETE", "/api/v1/namespaces/default/pods/web-0"),
                ("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets"),
            ):
                with pytest.raises(ApiRefusedError) as refused:
                    api.call(method, path)
                assert refused.value.status == 403


def test_extender_and_descheduler_work_with_their_shipped_arguments_and_rights(base: Layout) -> None:
    plane = base.plane
    pod, _ = base.wait_running("scheduler", 2)
    policy = offline(base.config_map("bayplan-policy", "policy.yaml"))
    extender = base.container("bayplan-scheduler", "extender")
    descheduler = base.container("bayplan-descheduler", "descheduler")
    admin = f"http://127.0.0.1:{extender.port('--admin-port')}"

    with extender.program("extender", pod, policy=policy) as program:
        ready_page = f"{admin}/readyz"
        wait_until(lambda: fetch(ready_page)[0] == 200, "readiness", timeout=60, seen=program.tail)
        configuration = yaml.safe_load(base.config_map("bayplan-scheduler-configuration", "config.yaml"))
        configuration["extenders"][0]["urlPrefix"] = f"http://127.0.0.1:{extender.port('--port')}/v1"
        plane.start_scheduler("bayplan-scheduler", configuration)
        wait_until(lambda: asked(plane, "bayplan-scheduler", admin), "a filter call", seen=program.tail)
        plane.stop_scheduler("bayplan-scheduler")
        leases = [lease["metadata"]["name"] for lease in plane.admin.items(LEASES)]
        ready = json.loads(fetch(ready_page)[1])

    run = descheduler.program("descheduler", pod, policy=policy)
    run.start()
    code = run.wait_ended(60)

    assert f"bayplan-extender-{pod['metadata']['name']}" in leases
    assert not [remark for remark in ready["remarks"] if "forbidden" in remark.lower()]
    assert code == 0, run.tail()
    assert "orbidden" not in run.tail(200)
    report = plane.admin.get(f"/apis/bayplan.dev/v1alpha1/namespaces/{NAMESPACE}/deschedulerreports/descheduler")
    assert report["status"]["lastRun"]["mode"] == "observe"
    assert plane.admin.get(f"{LEASES}/bayplan-descheduler")["spec"]["holderIdentity"] == ""
    assert plane.audit.evictions(namespace="default") == []


def test_descheduler_evicts_records_and_tells_with_its_shipped_rights(
    base: Layout, prometheus: Prometheus, node_figures: NodeFigures
) -> None:
    pod, _ = base.wait_running("scheduler", 2)
    with contextlib.closing(Scene(base.plane)) as scene:
        made = Descheduling(scene, prometheus, node_figures)
        node = made.crowd()
        victim = made.pod_on("big", node)
        made.heat(node)
        policy = yaml.safe_dump(made.policy())

        run = base.container("bayplan-descheduler", "descheduler").program("evicts", pod, policy=policy)
        run.start()
        code = run.wait_ended(100)

        assert code == 0, run.tail(200)
        assert made.records()[victim]["state"] == "Accepted"
        assert {event["involvedObject"]["kind"] for event in scene.events("Evicted")} == {"Pod", "Deployment"}
        account = f"system:serviceaccount:{NAMESPACE}:bayplan-descheduler"
        assert [(request.name, request.user, request.code) for request in scene.evictions()] == [(victim, account, 201)]
        assert "orbidden" not in run.tail(500)


def test_kube_scheduler_reaches_the_extender_over_tls_with_its_own_certificate(
    cluster: ControlPlane, base: Layout, tmp_path: Path
) -> None:
    subprocess.run([DEPLOY / "overlays/service/make-certificates", tmp_path], check=True, capture_output=True)
    layout = Layout(cluster, "overlays/service", certificates=tmp_path)
    extender = layout.container("bayplan-extender", "extender")
    pod, _ = base.wait_running("scheduler", 2)
    address = f"127.0.0.1:{extender.port('--port')}"
    configuration = yaml.safe_load((DEPLOY / "overlays/service/scheduler-configuration.yaml").read_text())
    webhook = configuration["extenders"][0]
    webhook["urlPrefix"] = re.sub(r"//[\d.:]+/", f"//{address}/", webhook["urlPrefix"])
    webhook["tlsConfig"] = {key: layout.here(value) for key, value in webhook["tlsConfig"].items()}
    configuration["profiles"][0]["schedulerName"] = "over-tls"
    policy = offline(base.config_map("bayplan-policy", "policy.yaml")).replace("bayplan-scheduler]", "over-tls]")

    with extender.program("extender-tls", pod, policy=policy) as program:
        admin = f"http://127.0.0.1:{extender.port('--admin-port')}"
        wait_until(lambda: fetch(f"{admin}/readyz")[0] == 200, "readiness", timeout=60, seen=program.tail)
        cluster.start_scheduler("over-tls", configuration)
        wait_until(lambda: asked(cluster, "over-tls", admin), "a filter call", seen=program.tail)
        cluster.stop_scheduler("over-tls")
        with pytest.raises((ssl.SSLError, ConnectionError)):
            ask_without_certificate(extender.port("--port"), tmp_path / "ca.crt")


def asked(plane: ControlPlane, scheduler: str, admin: str) -> bool:
    """Let a scheduler bind one more pod, and tell whether the extender at `admin` was asked about any by now.

    On a busy machine the first call may take longer than `httpTimeout`; the pod is bound all the same.
    """
    name = f"asks-{next(_NUMBERS)}"
    plane.admin.create("/api/v1/namespaces/default/pods", objects.pod(name, PodShape(scheduler=scheduler)))
    path = f"/api/v1/namespaces/default/pods/{name}"
    wait_until(lambda: plane.admin.get(path)["spec"].get("nodeName"), f"{name} to be bound")
    shown = fetch(f"{admin}/metrics")[1]
    count = re.search(r'^bayplan_extender_request_seconds_count{verb="filter"} (\S+)$', shown, re.MULTILINE)
    return count is not None and float(count[1]) > 0


def ask_without_certificate(port: int, authority: Path) -> bytes:
    """Ask as somebody who trusts the extender and whom it does not know."""
    context = ssl.create_default_context(cafile=str(authority))
    name = "bayplan-extender.bayplan-system.svc"
    with (
        socket.create_connection(("127.0.0.1", port), timeout=5) as plain,
        context.wrap_socket(plain, server_hostname=name) as secure,
    ):
        secure.sendall(b"GET /v1/filter HTTP/1.0\r\n\r\n")
        return secure.recv(1)


def offline(policy: str) -> str:
    """Return the policy with a Prometheus that nobody is, so that no test waits for a name to be resolved."""
    return policy.replace("prometheus.monitoring:9090", "127.0.0.1:1")


LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"


def fetch(url: str) -> tuple[int, str]:
    """Return status and body of a page of ours, status 0 while nobody listens."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""
