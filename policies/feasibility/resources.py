"""Requests must fit into what the node can allocate minus what its pods request, pod slots and extended resources too.

By requests, not by use: a node that looks empty may have no room.
"""

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.resources import PODS, total


def against(pod: Pod, occupancy: Occupancy) -> Test:
    """Return the test of a node's free resources; the first lacking one in alphabetical order decides."""
    wanted = pod.requests

    def test(node: Node) -> str | None:
        lacking = wanted.lacking(occupancy.free(node))
        if not lacking:
            return None
        planned = total(other.requests for other in occupancy.planned_on(node.name))
        if not wanted.lacking(occupancy.free(node) + planned):
            return "capacity used by planned moves"
        return "no free pod slot" if lacking[0] == PODS else f"not enough {lacking[0]}"

    return test


RESOURCES = Predicate("resources", against)
