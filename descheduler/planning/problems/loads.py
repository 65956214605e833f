"""Measured load as rows of the problem: with the pods that come, a node must stay above the filter's threshold.

For each additive resource `sum(use) <= (1 - filterBelow) * capacity`, where what a node carries beyond its items is
taken off first. Only on nodes whose value is fresh and verified; elsewhere it cannot bind, and where the node carries
more already it is as wide as what stands there now.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from descheduler.planning.problems.amounts import Amounts
from descheduler.planning.problems.layout import Layout
from descheduler.planning.problems.measured import Measured
from policies.buoyancy.capacities import per_unit
from policies.buoyancy.recent_pods import full_capacity
from policies.buoyancy.scores import Anchors
from policies.placement.ratings import rate
from policies.values.nodes import Node


@dataclass(frozen=True, slots=True)
class _Row:
    """One resource: use by item, and what each site has and has left, in Kubernetes' integers."""

    resource: str
    uses: tuple[int, ...]
    capacity: tuple[int, ...]
    room: tuple[int, ...]


def carried(layout: Layout, measured: Measured) -> Amounts:
    """Return a row for each additive resource of which at least one node's load is known."""
    rows = tuple(_rows(layout, measured))
    return Amounts(
        resources=tuple(f"{row.resource} in use" for row in rows),
        requests=tuple(tuple(row.uses[at] for row in rows) for at in range(len(layout.pods))),
        allocatable=tuple(tuple(row.capacity[site] for row in rows) for site in range(len(layout.rows.nodes))),
        room=tuple(tuple(row.room[site] for row in rows) for site in range(len(layout.rows.nodes))),
    )


def accepting(layout: Layout, measured: Measured) -> tuple[bool, ...]:
    """Tell of each site whether pods may come: not where its buoyancy is below the filter's threshold."""
    least = layout.situation.policy.buoyancy.filter_below
    standings = (measured.standings.get(node.name) for node in layout.rows.nodes)
    return tuple(standing is None or rate(standing, filter_below=least).below is None for standing in standings)


def _rows(layout: Layout, measured: Measured) -> Iterator[_Row]:
    for resource, signal in layout.situation.policy.signals.resources.items():
        anchors = Anchors(signal.zero, signal.full)
        capacity = {node.name: _capacity(node, resource, anchors) for node in layout.rows.nodes}
        loads = {name: load for name in capacity if (load := _load(name, resource, measured)) is not None}
        if signal.additive and any(capacity[name] > 0 for name in loads):
            yield _row(resource, capacity, loads, layout, measured)


def _capacity(node: Node, resource: str, anchors: Anchors) -> int:
    """Return what a score of 1 stands for, 0 where the node declares none of the resource."""
    full = full_capacity(node, resource, anchors) * per_unit(resource)
    return math.floor(full) if full > 0 else 0


def _load(node: str, resource: str, measured: Measured) -> float | None:
    """Return a node's score, None where it is not fresh or nobody knows how old it is."""
    standing = measured.standings.get(node)
    return standing.scores.get(resource) if standing is not None and standing.refusable else None


def _row(
    resource: str, capacity: Mapping[str, int], loads: Mapping[str, float], layout: Layout, measured: Measured
) -> _Row:
    uses = tuple(math.ceil(measured.use_of(pod, resource) * per_unit(resource)) for pod in layout.pods)
    present = dict.fromkeys(capacity, 0)
    for pod, use in zip(layout.pods, uses, strict=True):
        if pod.node is not None:
            present[pod.node] += use
    share, everything = 1 - layout.situation.policy.buoyancy.filter_below, sum(uses)
    room = []
    for name, full in capacity.items():
        if name not in loads or full == 0:
            room.append(everything)
            continue
        others = max(0, math.ceil(loads[name] * full) - present[name])
        room.append(max(math.floor(share * full) - others, present[name]))
    return _Row(resource, uses, tuple(capacity.values()), tuple(room))
