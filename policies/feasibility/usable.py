"""A node that is cordoned, not Ready, terminating or about to be removed takes no pod, tolerated or not."""

from policies.feasibility.node_state import why_unusable
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.values.pods import Pod


def against(_pod: Pod, _occupancy: Occupancy) -> Test:
    """Return the test of a node's state."""
    return why_unusable


USABLE = Predicate("node-state", against)
