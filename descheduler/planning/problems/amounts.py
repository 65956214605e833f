"""What items ask for and what the ground leaves of it, resource by resource, as exact integers.

Resources of requests only: pod slots, extended resources and, where nodes declare them, the volumes that a driver can
attach. A resource that no item asks for is left out.
"""

from dataclasses import dataclass
from typing import Final

from descheduler.planning.problems.layout import Layout
from policies.feasibility.attachments import capacity, with_attachments
from policies.values.resources import CPU, MEMORY, total

_ALWAYS: Final = (CPU, MEMORY)


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
    asked = [with_attachments(pod, layout.cluster) for pod in layout.pods]
    names = {name for each in asked for name, amount in each.amounts.items() if amount > 0}
    resources = (*_ALWAYS, *sorted(names - set(_ALWAYS)))
    nodes = layout.rows.nodes
    taken = [total(with_attachments(pod, layout.cluster) for pod in layout.ground.on(node.name)) for node in nodes]
    room = [
        tuple(capacity(node, name) - used[name] for name in resources) for node, used in zip(nodes, taken, strict=True)
    ]
    return Amounts(
        resources=resources,
        requests=tuple(tuple(each[name] for name in resources) for each in asked),
        allocatable=tuple(tuple(capacity(node, name) for name in resources) for node in nodes),
        room=tuple(room),
    )
