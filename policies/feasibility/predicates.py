"""All predicates in the order in which a node is asked; the first that objects gives the reason that is counted.

From what no other decision changes (the node, the pod's wishes) to what pods take from each other.
"""

from typing import Final

from policies.feasibility.affinity import AFFINITY
from policies.feasibility.anti_affinity import ANTI_AFFINITY
from policies.feasibility.host_ports import HOST_PORTS
from policies.feasibility.node_affinity import NODE_AFFINITY
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.feasibility.resources import RESOURCES
from policies.feasibility.spread import SPREAD
from policies.feasibility.taints import TAINTS
from policies.feasibility.usable import USABLE
from policies.feasibility.volumes import VOLUMES
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.refusals import Refusal, Scope

PREDICATES: Final[tuple[Predicate, ...]] = (
    USABLE,
    NODE_AFFINITY,
    TAINTS,
    VOLUMES,
    RESOURCES,
    HOST_PORTS,
    ANTI_AFFINITY,
    AFFINITY,
    SPREAD,
)


def feasible(pod: Pod, node: Node, occupancy: Occupancy) -> Refusal | None:
    """Return why a node cannot take a pod, by the name of the predicate; None where it can."""
    for predicate in PREDICATES:
        test = predicate.against(pod, occupancy)
        why = test(node) if test is not None else None
        if why is not None:
            return Refusal(predicate.name, f"{node.name}: {why}", Scope.NODE)
    return None


def tests_of(pod: Pod, occupancy: Occupancy) -> tuple[Test, ...]:
    """Return the tests that have something to say about a pod, to be asked of many nodes."""
    tests = (predicate.against(pod, occupancy) for predicate in PREDICATES)
    return tuple(test for test in tests if test is not None)
