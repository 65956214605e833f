"""The eight workloads of the demonstration, as values and as Kubernetes objects; starts nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from controlplane import objects
from controlplane.objects import Object, PodShape

NAMESPACE: Final = "shop"
SCHEDULER: Final = "bayplan-scheduler"
# Its owner's word to every tool that evicts; Cluster Autoscaler's, as most clusters have it somewhere already.
VETO: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict"
_HOST: Final = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A Deployment. Each pod requests `request` CPUs and, unless the story says otherwise, wants `cores` to work with.

    `apart` allows one pod a node, `never_with` none beside that workload, `rather_with` prefers its nodes.
    """

    name: str
    replicas: int
    cores: float
    request: str
    vetoed: bool = False
    apart: bool = False
    never_with: str = ""
    rather_with: str = ""

    def deployment(self) -> Object:
        """Return the Deployment."""
        annotations = {VETO: "false"} if self.vetoed else {}
        shape = PodShape(cpu=self.request, scheduler=SCHEDULER, annotations=annotations, spec=self._spread())
        return objects.deployment(self.name, self.replicas, shape)

    def budget(self) -> Object:
        """Return its PodDisruptionBudget."""
        return objects.pdb(self.name, app=self.name, maxUnavailable=1)

    def _spread(self) -> dict[str, Any]:
        """Return the part of the pods' spec that says where they go."""
        apart = [_near(self.name)] if self.apart else []
        never = [_near(self.never_with)] if self.never_with else []
        affinity: dict[str, Any] = {
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart + never}
        }
        if self.rather_with:
            wish = {"weight": 100, "podAffinityTerm": _near(self.rather_with)}
            affinity["podAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}
        even = {"topologyKey": _HOST, "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}
        selector = {"labelSelector": {"matchLabels": {"app": self.name}}}
        return {"affinity": affinity, "topologySpreadConstraints": [even | selector]}


def _near(app: str) -> Object:
    return {"topologyKey": _HOST, "labelSelector": {"matchLabels": {"app": app}}}


# In the order in which they are brought in: each finds those that it keeps away from or likes to be with.
FRONTEND: Final = Workload(name="frontend", replicas=6, cores=0.8, request="800m", apart=True)
SEARCH: Final = Workload(name="search", replicas=8, cores=2.0, request="2", apart=True)
ENCODER: Final = Workload(
    name="encoder",
    replicas=3,
    cores=1.0,
    request="1",
    vetoed=True,
    apart=True,
    never_with="frontend",
    rather_with="search",
)
REPORTS: Final = Workload(name="reports", replicas=11, cores=0.4, request="400m")
WORKLOADS: Final = (
    FRONTEND,
    SEARCH,
    ENCODER,
    REPORTS,
    Workload(name="cart", replicas=8, cores=0.4, request="400m"),
    Workload(name="catalogue", replicas=10, cores=0.5, request="500m"),
    Workload(name="checkout", replicas=6, cores=0.5, request="500m"),
    Workload(name="recommender", replicas=8, cores=0.7, request="700m"),
)
PODS: Final = sum(workload.replicas for workload in WORKLOADS)


def everything() -> Iterator[Object]:
    """Yield all objects in the order in which they are to be created."""
    for workload in WORKLOADS:
        yield workload.budget()
        yield workload.deployment()
