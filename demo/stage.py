"""Builds the stage: control plane, Prometheus, Bayplan's services as the manifests ship them, the workloads.

Everything is a context manager and is ended, newest first, when the stage is left, whatever happened.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from controlplane import building, objects
from controlplane.api import Api
from controlplane.clusters import ControlPlane, Options
from controlplane.configs import without_extender
from controlplane.exporter import Exporter
from controlplane.objects import NodeShape
from controlplane.programs.prometheus import Prometheus, scrape
from controlplane.waiting import wait_until
from demo import feeding, load, workloads
from demo.feeding import Feeder
from demo.workloads import NAMESPACE, SCHEDULER
from launching import installing
from launching.launches import Kind, Launch
from launching.paths import DEPLOY, OWN
from launching.services import Service

NODES: Final = 12
POLICY: Final = Path(__file__).with_name("policy.yaml")
_PLACEHOLDER: Final = "http://prometheus.invalid:9090"
_SHIPPED: Final = ("namespace.yaml", "extender-rbac.yaml", "descheduler-rbac.yaml")
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that runs, ready for the story."""

    plane: ControlPlane
    prometheus: Prometheus
    feeder: Feeder
    extender: Service
    descheduler: Service


@contextlib.contextmanager
def stage(say: Say, *, keep: bool = False) -> Iterator[Stage]:
    """Start everything, saying what; `keep` leaves the folder with the logs."""
    binaries = building.ensure(say)
    with contextlib.ExitStack() as stack:
        say(f"starting etcd, kube-apiserver, kube-controller-manager, kube-scheduler and KWOK with {NODES} nodes")
        options = Options(nodes=NODES, node=NodeShape(cpu=str(load.CPUS)), scheduler=without_extender(), keep=keep)
        plane = stack.enter_context(ControlPlane(binaries, options))
        if keep:
            say(f"logs are in {plane.run.folder}")
        yield _furnish(plane, stack, say)


def _furnish(plane: ControlPlane, stack: contextlib.ExitStack, say: Say) -> Stage:
    nodes = sorted(raw["metadata"]["name"] for raw in plane.admin.items("/api/v1/nodes"))
    exporter = stack.enter_context(Exporter())
    feeder = stack.enter_context(Feeder(plane.admin, nodes))
    exporter.put("figures", feeder.figures.exposition)
    say("starting Prometheus, which scrapes a small exporter in place of node_exporter, cAdvisor and the services")
    prometheus = stack.enter_context(Prometheus(plane.run, [scrape("figures", exporter.address)], interval="1s"))
    install(plane)
    say("starting the extender, and bayplan-scheduler: a stock kube-scheduler with the configuration from deploy/base")
    extender = stack.enter_context(service(plane, "extender", policy(prometheus.url)))
    plane.start_scheduler(SCHEDULER, scheduler_configuration(extender.url))
    say(f"creating {len(workloads.WORKLOADS)} workloads with {workloads.PODS} pods; bayplan-scheduler places them")
    furnish_namespace(plane.admin)
    say("starting the descheduler")
    descheduler = stack.enter_context(service(plane, "descheduler", policy(prometheus.url)))
    return Stage(plane, prometheus, feeder, extender, descheduler)


def install(plane: ControlPlane) -> None:
    """Apply what deploy/ has of namespace, CRDs and rights; KWOK cannot run the services, so those are started here."""
    for part in _SHIPPED:
        plane.kubectl("apply", "-f", str(DEPLOY / "common" / part))
    installing.install(plane)


def service(plane: ControlPlane, kind: Kind, policy: str) -> Service:
    """Return one of the two services with the rights that deploy/ gives it, not started yet."""
    name = f"bayplan-{kind}"
    launch = Launch(
        run=plane.run,
        kind=kind,
        name=name,
        policy=policy,
        kubeconfig=plane.kubeconfig(name, plane.service_account_token(OWN, name)),
        pod_name=f"{name}-0",
        grace=0.0,  # the cluster ends with it: nobody needs its orderly end, which takes seconds
    )
    return Service(launch)


def policy(prometheus: str) -> str:
    """Return the demonstration's policy for a Prometheus at this URL."""
    return POLICY.read_text().replace(_PLACEHOLDER, prometheus)


def scheduler_configuration(url: str) -> dict[str, Any]:
    """Return the shipped configuration of the base layout, for an extender at this URL."""
    shipped: dict[str, Any] = yaml.safe_load((DEPLOY / "base/scheduler-configuration.yaml").read_text())
    shipped["extenders"][0]["urlPrefix"] = url
    return shipped


def furnish_namespace(api: Api) -> None:
    """Create the workloads and wait until all of their pods run."""
    api.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    account = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default"
    wait_until(lambda: api.find(account), f"the default ServiceAccount of {NAMESPACE}")
    for body in workloads.everything():
        api.create(objects.collection(body, NAMESPACE), body)
        if body["kind"] == "Deployment":
            _wait_running(api, str(body["metadata"]["name"]), int(body["spec"]["replicas"]))


def _wait_running(api: Api, app: str, count: int) -> None:
    wait_until(
        lambda: len(feeding.running(api.items(feeding.PODS_PATH, labelSelector=f"app={app}"))) == count,
        f"{count} running pods of {app}",
        timeout=60,
        interval=0.2,
        seen=lambda: [raw["status"] for raw in api.items(feeding.PODS_PATH, labelSelector=f"app={app}")],
    )
