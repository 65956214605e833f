"""What items ask for and what the ground leaves of it, resource by resource, as exact integers.

Resources of requests only: pod slots, extended resources and, where nodes declare them, the volumes that a driver can
attach. A resource that no item asks for is left out.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from descheduler.planning.problems.layout import Layout
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.resources import CPU, MEMORY, Resources, total
from policies.values.volumes import ATTACHMENTS

_ALWAYS: Final = (CPU, MEMORY)
_UNLIMITED: Final = 2**31  # arbitrary: more volumes than all pods of a cluster have


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """By the order of `resources`: what each item asks for, what each site has in all, and what the ground leaves."""

    resources: tuple[str, ...]
    requests: tuple[tuple[int, ...], ...]
    allocatable: tuple[tuple[int, ...], ...]
    room: tuple[tuple[int, ...], ...]

    def plus(self, other: "Amounts") -> "Amounts":
        """Return these amounts with the resources of others behind them."""
        return Amounts(
            resources=self.resources + other.resources,
            requests=tuple(a + b for a, b in zip(self.requests, other.requests, strict=True)),
            allocatable=tuple(a + b for a, b in zip(self.allocatable, other.allocatable, strict=True)),
            room=tuple(a + b for a, b in zip(self.room, other.room, strict=True)),
        )


def requested(layout: Layout) -> Amounts:
    """Return the amounts by request."""
    asked = [wishes(pod, layout) for pod in layout.pods]
    names = {name for each in asked for name, amount in each.amounts.items() if amount > 0}
    resources = (*_ALWAYS, *sorted(names - set(_ALWAYS)))
    nodes = layout.rows.nodes
    taken = [total(wishes(pod, layout) for pod in layout.ground.on(node.name)) for node in nodes]
    room = [
        tuple(_allocatable(node, name) - used[name] for name in resources)
        for node, used in zip(nodes, taken, strict=True)
    ]
    return Amounts(
        resources=resources,
        requests=tuple(tuple(each[name] for name in resources) for each in asked),
        allocatable=tuple(tuple(_allocatable(node, name) for name in resources) for node in nodes),
        room=tuple(room),
    )


def wishes(pod: Pod, layout: Layout) -> Resources:
    """Return what a pod requests, and one attachment of its driver for each of its volumes."""
    if not pod.claims:
        return pod.requests
    cluster = layout.cluster
    claims = (cluster.claims.get(f"{pod.namespace}/{name}") for name in pod.claims)
    volumes = (cluster.volumes.get(claim.volume or "") for claim in claims if claim is not None)
    drivers = Counter(volume.driver for volume in volumes if volume is not None and volume.driver is not None)
    return pod.requests + Resources({f"{ATTACHMENTS}{driver}": count for driver, count in drivers.items()})


def _allocatable(node: Node, name: str) -> int:
    """Return what a node has; one that says nothing of a driver's attachments has as many as anybody may ask for."""
    if name.startswith(ATTACHMENTS) and name not in node.allocatable.amounts:
        return _UNLIMITED
    return node.allocatable[name]
