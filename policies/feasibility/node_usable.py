"""A node that is cordoned, not Ready, terminating or about to be removed takes no pod, tolerated or not."""

from collections.abc import Iterator

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.values.pods import Pod


def closures(_pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes closed by their state, by state."""
    unusable = occupancy.view.unusable
    for state in sorted(set(unusable.values())):
        yield Closure(state, occupancy.rows.named(name for name, why in unusable.items() if why == state))


USABLE = Predicate("node-state", closures)
