"""The extender between a real kube-scheduler and made-up measurements: what placement tests set, start and look at.

It knows how things are started and measured, and nothing of what is decided.
"""

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from controlplane import objects
from controlplane.api import ApiRefusedError
from controlplane.clusters import ControlPlane
from controlplane.node_figures import NodeFigures
from controlplane.objects import NodeShape, Object, PodShape
from controlplane.observing import Observer
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import wait_until
from launching.launches import Policy
from launching.paths import OWN
from tests.e2e.scenes import Scene, node_of
from tests.e2e.services import Extender, Services
from tests.manifests import DEPLOY

SCHEDULER = "bayplan-scheduler"
SHIPPED = DEPLOY / "base/scheduler-configuration.yaml"
_FOR_OURS_ONLY = NodeShape(taints=({"key": "bayplan.dev/own", "effect": "NoSchedule"},))


def shipped_configuration(url: str, **changes: object) -> dict[str, Any]:
    """Return the shipped KubeSchedulerConfiguration for an extender at this URL; `changes` are of its entry."""
    configuration: dict[str, Any] = yaml.safe_load(SHIPPED.read_text())
    configuration["extenders"][0] |= {"urlPrefix": url} | changes
    return configuration


def use_of(resource: str) -> str:
    """Return the name of the gauge that stands for a node's use of a resource."""
    return f"node_{resource}_use"


def resource(name: str, **changes: object) -> dict[str, object]:
    """Return a resource measured by its gauge: seen with the scrape that brings it, and old when scrapes end."""
    gauge = use_of(name)
    return {
        "node": f"last_over_time({gauge}[1m])",
        "age": f"time() - max_over_time(timestamp({gauge})[1m:1s])",
        "rateWindow": "0s",
        **changes,
    }


# cpu shrinks with the pods that leave, io does not.
TWO_RESOURCES = {"resources": {"cpu": resource("cpu", additive=True), "io": resource("io")}}


@dataclass
class Placing:
    """One scene with its own extender and scheduler; ends both by their id when closed."""

    scene: Scene
    services: Services
    prometheus: Prometheus
    figures: NodeFigures
    _stack: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        """End what was started."""
        self._stack.close()

    # ------------------------------------------------------------------ measurements

    def measure(self, node: str, **uses: float) -> None:
        """Let a node's use of these resources be this from the next scrape on."""
        for name, use in uses.items():
            self.figures.figures.gauge(use_of(name), use, {"instance": f"{node}:9100"})

    def shown_at(self, node: str, *, cpu: float) -> float:
        """Return when (Unix seconds) the first sample was taken that shows this use of a node."""
        samples = self.prometheus.samples(f'{use_of("cpu")}{{instance="{node}:9100"}}[2m]')
        return min(at for at, value in samples if value == cpu)

    # ------------------------------------------------------------------ processes

    def policy(
        self, *, signals: Mapping[str, object] | None = None, steering: str = "10m", **buoyancy: object
    ) -> dict[str, Any]:
        """Return a policy with short times; the rest are further fields of `buoyancy`."""
        given = {
            "prometheus": {"url": self.prometheus.url, "timeout": "1s"},
            "step": "1s",
            "staleAfter": "5s",
            "resources": {"cpu": resource("cpu", additive=True)},
        }
        return {
            "apiVersion": "bayplan.dev/v1alpha1",
            "kind": "Policy",
            "signals": given | dict(signals or {}),
            "buoyancy": buoyancy,
            "steering": {"avoidSource": steering},
        }

    def start(self, policy: Policy, *, measured: int, **entry: object) -> Extender:
        """Start an extender under its shipped role, its pod on a scene's node, and a scheduler that asks it.

        It is returned when it knows so many nodes in full. `entry` changes the scheduler's entry of it.
        """
        extender = self.extend(self.services.extender(policy, on=self.host(), kubeconfig=self.rights()))
        self.schedule(shipped_configuration(extender.url, **entry))
        self.wait_measured(extender, measured)
        return extender

    def extend(self, extender: Extender) -> Extender:
        """Start an extender that ends with this scene, and wait until it is ready."""
        self.launch(extender)
        extender.program.wait_ready()
        return extender

    def launch(self, extender: Extender) -> None:
        """Start an extender that ends with this scene; it may not be ready yet."""
        self._stack.push(extender)
        # The orderly end takes seconds of draining, which other tests are about.
        self._stack.callback(extender.program.kill)
        extender.start()

    def schedule(self, configuration: Mapping[str, Any]) -> None:
        """Start a scheduler that ends with this scene, in the place of the one before."""
        if SCHEDULER not in self.scene.plane.programs:
            self._stack.callback(self.scene.plane.stop_scheduler, SCHEDULER)
        self.scene.plane.start_scheduler(SCHEDULER, configuration)

    def wait_measured(self, extender: Extender, count: int) -> None:
        """Wait until an extender knows this many nodes in full."""
        wait_until(
            lambda: extender.metric("bayplan_extender_nodes", confidence="full") == count,
            f"{count} measured nodes",
            seen=lambda: (extender.samples("bayplan_extender_nodes"), extender.readyz()["remarks"]),
        )

    def wait_refusable(self, extender: Extender, count: int) -> None:
        """Wait until an extender knows this many nodes below the threshold."""
        wait_until(
            lambda: extender.metric("bayplan_extender_refusable_nodes") == count,
            f"{count} nodes below the threshold",
            seen=lambda: (extender.samples("bayplan_extender_refusable_nodes"), extender.readyz()["remarks"]),
        )

    def host(self) -> str:
        """Make a node for our own pod, which no other pod goes to: it takes up no room and is in no request."""
        (name,) = self.scene.nodes(1, _FOR_OURS_ONLY)
        return name

    def rights(self) -> Path:
        """Return a kubeconfig of the shipped ServiceAccount, with its shipped roles."""
        return granted(self.scene.plane, "extender")

    # ------------------------------------------------------------------ pods

    def shape(self, cpu: str = "100m", **spec: object) -> PodShape:
        """Return the shape of a pod that our scheduler places."""
        return PodShape(cpu=cpu, scheduler=SCHEDULER, spec=spec)

    def body(self, name: str, cpu: str = "100m", **spec: object) -> Object:
        """Return a bare pod for the scene's nodes that our scheduler places."""
        return objects.pod(name, self.scene.here(self.shape(cpu, **spec)))

    def pod(self, name: str, cpu: str = "100m", **spec: object) -> Object:
        """Create a bare pod that our scheduler places; fields of its spec."""
        return self.scene.pod(name, self.shape(cpu, **spec))

    def place(self, name: str, cpu: str = "100m", **spec: object) -> str:
        """Create such a pod and return the node that it was bound to."""
        self.pod(name, cpu, **spec)
        return self.scene.wait_bound(name)

    def bound(self) -> dict[str, str]:
        """Return the node of every bound pod of the scene by its name."""
        return {pod["metadata"]["name"]: node_of(pod) for pod in self.scene.pods() if node_of(pod)}


def granted(plane: ControlPlane, service: str) -> Path:
    """Return a kubeconfig of a service's shipped ServiceAccount; its shipped roles are applied once a control plane."""
    account = f"bayplan-{service}"
    if plane.admin.find(f"/apis/rbac.authorization.k8s.io/v1/clusterroles/{account}") is None:
        plane.kubectl("apply", "-f", str(DEPLOY / f"common/{service}-rbac.yaml"))
    return plane.kubeconfig(account, plane.service_account_token(OWN, account))


def fill(placing: Placing, node: str, name: str, rank: str) -> None:
    """Fill a node with one pod of a rank, bound and running."""
    spec = {"nodeName": node, "priorityClassName": priority(placing, rank)}
    placing.scene.pod(name, PodShape(cpu="7900m", spec=spec))
    placing.scene.wait_ready(name, 1)


def urgent(placing: Placing) -> None:
    """Create a pod that fits nowhere and outranks everybody."""
    placing.pod("urgent", cpu="4", priorityClassName=priority(placing, "high"))


def priority(placing: Placing, rank: str) -> str:
    """Return the PriorityClass of a rank, made if needed; names are the scene's own."""
    name = f"{placing.scene.name}-{rank}"
    if placing.scene.api.find(f"/apis/scheduling.k8s.io/v1/priorityclasses/{name}") is None:
        value = {"low": 10, "middle": 100, "high": 1000}[rank]
        placing.scene.create(objects.priority_class(name, value))
        body = placing.body("tries", priorityClassName=name)
        wait_until(lambda: _accepted(placing, body), f"the API server to admit pods of the new PriorityClass {name}")
    return name


def _accepted(placing: Placing, body: Object) -> bool:
    pods = f"/api/v1/namespaces/{placing.scene.namespace}/pods"
    with suppress(ApiRefusedError):
        return bool(placing.scene.api.call("POST", pods, body, dryRun="All"))
    return False


def going(observer: Observer) -> set[str]:
    """Return every pod that was seen on its way out or gone."""
    return {
        seen.body["metadata"]["name"]
        for seen in observer.changes
        if seen.kind == "DELETED" or "deletionTimestamp" in seen.body["metadata"]
    }
