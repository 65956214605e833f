"""Workloads with one replica on a node of its own, its home, and the others on shared nodes; decides nothing.

So a test can trouble one replica each of many workloads side by side, and knows where every replacement may go.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from controlplane import objects
from controlplane.clusters import ControlPlane
from controlplane.figures import Figures
from controlplane.node_figures import NodeFigures
from controlplane.objects import NodeShape, PodShape
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import wait_until
from launching.launches import Policy
from tests.e2e.placing import Placing, shipped_configuration
from tests.e2e.scenes import Scene, is_ready, node_of, summary
from tests.e2e.services import Extender, installed

# Shared nodes of two generations: the later ones are made when everybody has a place, and are free.
FIRST, LATER = "first", "later"
_LABEL = "home"
_HOST = "kubernetes.io/hostname"


@dataclass
class Homes:
    """A scene with our extender and scheduler, and its nodes: `nodes` has each one by the name of its home."""

    placing: Placing
    nodes: dict[str, str] = field(default_factory=dict)

    @property
    def scene(self) -> Scene:
        """The scene."""
        return self.placing.scene

    def start(self, policy: Policy) -> Extender:
        """Start the extender, and a scheduler that asks it; nothing is measured yet."""
        placing = self.placing
        extender = placing.extend(placing.services.extender(policy, on=placing.host(), kubeconfig=placing.rights()))
        placing.schedule(shipped_configuration(extender.url))
        return extender

    def found(self, *homes: str) -> None:
        """Make a node for each of these homes."""
        for home, node in zip(homes, self.scene.nodes(len(homes)), strict=True):
            self.scene.api.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {_LABEL: home}}})
            self.nodes[home] = node

    def share(self, generation: str, count: int) -> None:
        """Make nodes that every workload shares which may use this generation."""
        made = self.scene.nodes(count, NodeShape(labels={_LABEL: generation}))
        self.nodes |= {f"{generation}-{number}": node for number, node in enumerate(made, start=1)}

    def settle(self, app: str, replicas: int, *homes: str, **spec: object) -> None:
        """Create a Deployment whose pods run on nodes of these homes, one a node; they may have to wait for nodes."""
        self.scene.create(objects.deployment(app, replicas, self.shape(app, *homes, **spec)))

    def shape(self, app: str, *homes: str, **spec: object) -> PodShape:
        """Return the shape of such a pod."""
        placed = replace(self.placing.shape(), spec={"affinity": affinity(app, *homes), **spec})
        return self.scene.here(placed)

    def wait_ready(self, app: str, count: int) -> None:
        """Wait until at least so many pods of an app are Ready."""
        wait_until(
            lambda: sum(map(is_ready, self.scene.pods(app))) >= count,
            f"{count} Ready pods of {app}",
            timeout=60,
            seen=lambda: [summary(pod) for pod in self.scene.pods(app)],
        )

    def at_home(self, app: str, home: str = "") -> str:
        """Return the name of an app's pod on its home."""
        node = self.nodes[home or app]
        return next(str(pod["metadata"]["name"]) for pod in self.scene.pods(app) if node_of(pod) == node)


def affinity(app: str, *homes: str) -> dict[str, Any]:
    """Return the affinity of an app that runs on nodes of these homes only, one replica a node."""
    term = {"matchExpressions": [{"key": _LABEL, "operator": "In", "values": list(homes)}]}
    apart = {"topologyKey": _HOST, "labelSelector": {"matchLabels": {"app": app}}}
    return {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}},
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]},
    }


@contextmanager
def homes(plane: ControlPlane, prometheus: Prometheus) -> Iterator[Homes]:
    """Give a scene with homes, and clear it away afterwards with everything that was started for it."""
    scene = Scene(plane)
    try:
        with installed(plane) as services:
            placing = Placing(scene, services, prometheus, NodeFigures(Figures()))
            try:
                yield Homes(placing)
            finally:
                placing.close()
    finally:
        scene.close()
