"""What items ask for and what the ground leaves of it, resource by resource, as exact integers.

Resources of requests only: pod slots and extended resources too. A resource that no item asks for is left out.
"""

from dataclasses import dataclass
from typing import Final

from descheduler.planning.problems.layout import Layout
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
    names = {name for pod in layout.pods for name, amount in pod.requests.amounts.items() if amount > 0}
    resources = (*_ALWAYS, *sorted(names - set(_ALWAYS)))
    nodes = layout.rows.nodes
    taken = [total(pod.requests for pod in layout.ground.on(node.name)) for node in nodes]
    return Amounts(
        resources=resources,
        requests=tuple(tuple(pod.requests[name] for name in resources) for pod in layout.pods),
        allocatable=tuple(tuple(node.allocatable[name] for name in resources) for node in nodes),
        room=tuple(
            tuple(node.allocatable[name] - used[name] for name in resources)
            for node, used in zip(nodes, taken, strict=True)
        ),
    )
