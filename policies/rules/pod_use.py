"""Which pods' measured use the rules need, and the pods' scores made of it; chooses nobody.

A vector of all pods is large, so it is asked for by resource, and only where somebody is in trouble.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from policies.buoyancy.capacities import capacity
from policies.buoyancy.saturation import fresh_values
from policies.buoyancy.scores import Anchors, normalise, shares_of
from policies.model.signals import ResourceSignal
from policies.rules.world import World
from policies.values.signals import Floats, Grid


def sources(world: World) -> frozenset[str]:
    """Name the nodes from which somebody may be taken: oversubscribed ones, and those where an objective is missed."""
    lasting = (pod for objective in world.objectives for pod in objective.lasting())
    return frozenset(world.contention.oversubscribed) | {pod.node for pod in lasting if pod.node is not None}


def wanted(world: World) -> frozenset[str]:
    """Name the resources whose pod use the rules need: the contested ones of the sources."""
    contested = (world.contention.contested_on(node) for node in sources(world))
    signals = world.policy.signals
    return frozenset(name for name in contested if name is not None and signals.measure_pods(name))


def compared(world: World) -> frozenset[str]:
    """Name the pods whose use the rules compare: all on the sources, by `namespace/name`."""
    return frozenset(str(pod) for node in sources(world) for pod in world.inhabitants.on(node))


def with_pod_use(world: World, use: Mapping[str, Grid]) -> World:
    """Return the world with the scores of pods, from the newest use of each resource."""
    scores = {name: pod_scores(world, grid, resource=name) for name, grid in use.items()}
    return replace(world, pod_scores=scores)


def pod_scores(world: World, grid: Grid, *, resource: str) -> Mapping[str, float]:
    """Return `R_i` of the pods that stand on known nodes and have a fresh value, by `namespace/name`.

    Without an age query nobody knows how old the values are: no score, as it could only choose a victim.
    """
    if not grid.verified or not grid.objects:
        return {}
    signal = world.policy.signals.resources[resource]
    scores = _scores(grid, signal, capacities=_capacities(grid, world, resource))
    named = zip(grid.objects, scores.tolist(), strict=True)
    return {name: score for name, score in named if name in world.inhabitants.by_name and math.isfinite(score)}


def _scores(grid: Grid, signal: ResourceSignal, *, capacities: Floats) -> Floats:
    anchors = Anchors(signal.zero, signal.full)
    newest = fresh_values(grid)[:, -1]
    return shares_of(newest, capacities, anchors) if signal.pod_per == "allocatable" else normalise(newest, anchors)


def _capacities(grid: Grid, world: World, resource: str) -> Floats:
    """Return the capacity of each pod's node, NaN where pod or node are not known."""
    rooms = {name: capacity(node.allocatable, resource) for name, node in world.cluster.nodes.items()}
    pods = (world.inhabitants.by_name.get(name) for name in grid.objects)
    return np.array([math.nan if pod is None else rooms.get(pod.node or "", math.nan) for pod in pods])
