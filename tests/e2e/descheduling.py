"""Real descheduler processes against the real control plane: their policy, their start, their records."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from controlplane.node_figures import NodeFigures, NodeUse, Place, PodUse
from controlplane.objects import Object, PodShape
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import wait_until
from launching.paths import LEASES, RECORDS
from launching.services import Service
from launching.single import Cycle
from tests.e2e.scenes import Scene, node_of
from tests.e2e.services import Services, installed

LEASE = f"{LEASES}/bayplan-descheduler"
_WIDE = [{"scope": "cluster", "max": 50, "window": "10m"}]
# CPU of nodes and pods under their real metric names, over windows short enough for a test.
CPU = {
    "node": '1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[4s]))',
    "pressure": "max by (instance) (rate(node_pressure_cpu_waiting_seconds_total[4s]))",
    "age": "time() - max by (instance) (timestamp(node_cpu_seconds_total))",
    "pod": 'sum by (namespace, pod) (rate(container_cpu_usage_seconds_total{container!=""}[4s]))',
    "podAge": 'time() - max by (namespace, pod) (timestamp(container_cpu_usage_seconds_total{container!=""}))',
    "podPer": "allocatable",
    "rateWindow": "4s",
    "additive": True,
}


def rails(cycle: Cycle) -> dict[str, str]:
    """Return the rail that refused each pod, by its app."""
    lines = (line for line in cycle.printed["decisions"] if line["pod"] and line["decision"] == "refused")
    return {line["pod"].split("/")[1].split("-")[0]: line["rail"] for line in lines}


@dataclass
class Descheduling:
    """One scene with a hot node and a policy for its pods; starts processes and reads what they wrote."""

    scene: Scene
    prometheus: Prometheus
    figures: NodeFigures

    # ------------------------------------------------------------------ the scene

    def crowd(self) -> str:
        """Put a pod of `big` and one of `small` on each of three nodes of 8 cores, leave a fourth free; return one."""
        self.scene.nodes(4)
        host = "kubernetes.io/hostname"
        for app, near in (("big", None), ("small", "big")):
            apart = [{"topologyKey": host, "labelSelector": {"matchLabels": {"app": app}}}]
            rules: dict[str, Any] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}}
            if near is not None:
                beside = [{"topologyKey": host, "labelSelector": {"matchLabels": {"app": near}}}]
                preferred = [{"weight": 100, "podAffinityTerm": beside[0]}]
                rules["podAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": preferred}
            self.scene.deployment(app, 3, PodShape(spec={"affinity": rules}))
        both = {node_of(pod) for pod in self.scene.pods("big")} & {node_of(pod) for pod in self.scene.pods("small")}
        return min(both)

    def pair(self) -> str:
        """Put two of the four pods of `big` on one node, which is returned, and have other nodes free."""
        (node,) = self.scene.nodes(1)
        self.scene.deployment("big", 2)
        self.scene.nodes(3)
        path = f"/apis/apps/v1/namespaces/{self.scene.namespace}/deployments/big"
        self.scene.api.patch(path, {"spec": {"replicas": 4}})
        self.scene.wait_ready("big", 4)
        return node

    def heat(self, node: str) -> None:
        """Let one node be hot, `big` taking 4 cores there and `small` 2, and wait until it is seen for long enough."""
        for name in (raw["metadata"]["name"] for raw in self.scene.api.items("/api/v1/nodes")):
            hot = name == node
            self.figures.node(name, NodeUse(cpu=0.95 if hot else 0.2, cpu_pressure=0.3 if hot else 0.0))
        for pod in self.scene.pods():
            on, app = node_of(pod), pod["metadata"]["labels"]["app"]
            cores = {"big": 4.0, "small": 2.0}[app] if on == node else 0.1
            self.figures.pod(Place(self.scene.namespace, pod["metadata"]["name"], on), PodUse(cpu=cores))
        began = self._time()
        # the windows of 4 s and the debounce of 3 s, and some more for a busy machine
        wait_until(lambda: self._time() - began >= 10, "the figures to fill every window", timeout=40)

    def pod_on(self, app: str, node: str) -> str:
        """Return the pod of an app on a node."""
        return next(str(pod["metadata"]["name"]) for pod in self.scene.pods(app) if node_of(pod) == node)

    def _time(self) -> float:
        return float(self.prometheus.value("vector(time())") or 0.0)

    # ------------------------------------------------------------------ processes

    def policy(self, **eviction: Any) -> dict[str, Any]:  # fields of the policy
        """Return a policy with fast times that enforces in this scene."""
        fast = {"minPodAge": "0s", "readyFor": "1s", "coolDown": {"initial": "5m", "max": "1h"}}
        return {
            "apiVersion": "bayplan.dev/v1alpha1",
            "kind": "Policy",
            "scope": {"namespaces": {"include": [self.scene.namespace]}, "schedulerNames": ["default-scheduler"]},
            "signals": {
                "prometheus": {"url": self.prometheus.url, "timeout": "1s"},
                "step": "1s",
                "staleAfter": "5s",
                "resources": {"cpu": CPU},
            },
            "buoyancy": {"descheduleAfter": "3s"},
            "eviction": {"mode": "enforce", "limits": _WIDE} | fast | eviction,
        }

    @property
    def services(self) -> Services:
        """Return what starts processes."""
        return Services(self.scene.plane)

    def once(self, policy: dict[str, Any], *, launcher: tuple[str, ...] = ()) -> Cycle:
        """Run a single cycle to its end."""
        return self.services.cycle(policy, launcher=launcher)

    def loop(self, policy: dict[str, Any], *, launcher: tuple[str, ...] = ()) -> Service:
        """Return a process that runs the loop, not started yet."""
        return self.services.descheduler(policy, launcher=launcher)

    # ------------------------------------------------------------------ what was written

    def records(self) -> dict[str, Object]:
        """Return the status of the records by the name of the pod."""
        return {raw["spec"]["pod"]["name"]: raw["status"] for raw in self.scene.api.items(RECORDS)}

    def states(self) -> dict[str, str]:
        """Return the state of each record by the name of the pod."""
        return {name: status["state"] for name, status in self.records().items()}

    def evicted(self) -> list[str]:
        """Return the pods whose eviction the API server granted, from its audit log."""
        return self.scene.evicted()

    def leader(self) -> str:
        """Return the pod name of the process that holds the Lease."""
        lease = self.scene.api.find(LEASE)
        return "" if lease is None else str(lease["spec"].get("holderIdentity", "")).split("_")[0]


@contextmanager
def descheduling(scene: Scene, prometheus: Prometheus, figures: NodeFigures) -> Iterator[Descheduling]:
    """Install what the descheduler needs and take its objects away afterwards."""
    with installed(scene.plane):
        yield Descheduling(scene, prometheus, figures)
