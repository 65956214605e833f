"""The assumed load of all nodes at once, from pods that were bound or ended lately; asks for no series."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from policies.buoyancy.assumed_load import Changes, assumed_loads
from policies.buoyancy.capacities import amount, capacity
from policies.buoyancy.saturation import Saturation
from policies.buoyancy.scores import Anchors
from policies.model.signals import Signals
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.signals import Floats

Ratio: TypeAlias = Callable[[Pod, str], float]


def as_requested(_pod: Pod, _resource: str) -> float:
    """Return the use/request ratio of a pod without history: it uses what it asks for."""
    return 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Who may have come or gone: live pods, those that ended with the time (Unix seconds), and use per request."""

    nodes: Mapping[str, Node]
    pods: Iterable[Pod] = ()
    gone: Iterable[tuple[Pod, float]] = ()
    ratio: Ratio = as_requested


def full_capacity(node: Node | None, resource: str, anchors: Anchors) -> float:
    """Return the capacity that a score of 1 stands for on a node, NaN where it declares none."""
    return math.nan if node is None else capacity(node.allocatable, resource) * anchors.span


def newest_samples(saturation: Saturation, k: int) -> Floats:
    """Return each node's newest sample time for a resource; where no age is known, the evaluation's own time."""
    newest = saturation.newest_sample[k]
    return np.where(np.isfinite(newest), newest, saturation.now)


def loads_of(saturation: Saturation, signals: Signals, population: Population) -> Floats:
    """Return `dR` by resource and node in the saturation's order; 0 for resources that are not additive."""
    loads = np.zeros((len(saturation.resources), len(saturation.nodes)))
    pods, gone = tuple(population.pods), tuple(population.gone)
    for k, resource in enumerate(saturation.resources):
        signal = signals.resources[resource]
        if not signal.additive:
            continue
        newest = newest_samples(saturation, k)
        since = float(newest.min(initial=math.inf)) - signal.rate_window
        found = list(_changes(saturation, resource, _Recent(pods, gone, population.ratio, since)))
        if found:
            anchors = Anchors(signal.zero, signal.full)
            rows, at, use = zip(*found, strict=True)
            loads[k] = assumed_loads(
                Changes(rows=np.array(rows, dtype=np.intp), at=np.array(at), use=np.array(use)),
                newest=newest,
                rate_window=signal.rate_window,
                full_capacity=np.array(
                    [full_capacity(population.nodes.get(name), resource, anchors) for name in saturation.nodes]
                ),
            )
    return loads


@dataclass(frozen=True, slots=True)
class _Recent:
    pods: tuple[Pod, ...]
    gone: tuple[tuple[Pod, float], ...]
    ratio: Ratio
    since: float


def _changes(saturation: Saturation, resource: str, recent: _Recent) -> Iterator[tuple[int, float, float]]:
    """Yield row, time and signed use of whoever came or went on a known node since then."""
    came = ((pod, pod.bound_at, 1.0) for pod in recent.pods if pod.bound_at is not None and not pod.ended)
    went = ((pod, at, -1.0) for pod, at in recent.gone)
    for pod, at, sign in (*came, *went):
        row = saturation.row.get(pod.node or "")
        if row is not None and at > recent.since:
            yield row, at, sign * amount(pod.requests, resource) * recent.ratio(pod, resource)
