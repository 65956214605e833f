"""What is measured of nodes and pods, as a plan needs it; asks for no signal itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from descheduler.observing import Scene
from policies.buoyancy.capacities import amount
from policies.buoyancy.recent_pods import full_capacity
from policies.buoyancy.scores import Anchors
from policies.placement.expected_load import Ratios, Turn
from policies.placement.steering import workload_of
from policies.placement.use_ratios import use_ratios
from policies.rules.pod_use import pod_scores
from policies.rules.world import World
from policies.values.pods import Pod
from policies.values.resources import Resources, total
from policies.values.signals import Grid
from policies.values.standings import NodeStanding


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How nodes stand, what single pods use by resource and UID, and what workloads use per request.

    Use is in cores or base units. Whoever is in none of it is expected to use what it requests; a node without a
    standing is not known.
    """

    standings: Mapping[str, NodeStanding] = field(default_factory=dict)
    use: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    ratios: Ratios = field(default_factory=dict)

    def use_of(self, pod: Pod, resource: str) -> float:
        """Return what a pod uses, or is expected to."""
        seen = self.use.get(resource, {}).get(pod.uid)
        if seen is not None:
            return seen
        return amount(pod.requests, resource) * self.ratios.get((workload_of(pod), resource), 1.0)


NOTHING_MEASURED: Final = Measured()


def measured(scene: Scene, *, pods: Mapping[str, Grid], workloads: Mapping[str, Grid]) -> Measured:
    """Return what a scene with standings knows, and what pods and workloads use by additive resource."""
    if scene.world is None:
        return NOTHING_MEASURED
    return Measured(
        standings=scene.standings,
        use={name: _use(scene.world, name, grid) for name, grid in pods.items()},
        ratios=_ratios(scene, workloads),
    )


def _use(world: World, resource: str, grid: Grid) -> Mapping[str, float]:
    """Return what measured pods use, by UID: their score times what a score of 1 stands for on their node."""
    signal, found = world.policy.signals.resources[resource], dict[str, float]()
    anchors = Anchors(signal.zero, signal.full)
    for name, score in pod_scores(world, grid, resource=resource).items():
        pod = world.inhabitants.by_name[name]
        use = score * full_capacity(world.cluster.nodes.get(pod.node or ""), resource, anchors)
        if use >= 0:  # NaN where the node declares none
            found[pod.uid] = use
    return found


def _ratios(scene: Scene, workloads: Mapping[str, Grid]) -> Ratios:
    history = scene.history
    resources = {name: replace(readings, workload=workloads.get(name)) for name, readings in history.resources.items()}
    bound = [pod for pod in scene.cluster.pods.values() if pod.node is not None and not pod.ended]
    return use_ratios(
        replace(history, resources=resources),
        signals=scene.policy.signals,
        requested=_requested(bound),
        turns=[Turn(pod.bound_at, pod, workload_of(pod)) for pod in bound if pod.bound_at is not None],
    )


def _requested(pods: list[Pod]) -> Mapping[str, Mapping[str, int]]:
    parts: dict[str, list[Resources]] = {}
    for pod in pods:
        parts.setdefault(workload_of(pod), []).append(pod.requests)
    return {workload: total(requests).amounts for workload, requests in parts.items()}
