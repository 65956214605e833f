"""The pod's node selector and required node affinity must match; a term without requirements matches no node."""

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.values.nodes import Node
from policies.values.pods import Constraints, Pod


def against(pod: Pod, _occupancy: Occupancy) -> Test | None:
    """Return the test of a node's labels and name, None for a pod without a wish."""
    constraints = pod.constraints
    if not constraints.node_selector and constraints.node_terms is None:
        return None
    return lambda node: None if wants(constraints, node) else "node selector or affinity"


def wants(constraints: Constraints, node: Node) -> bool:
    """Tell whether a node meets the selector and at least one of the terms."""
    if any(node.labels.get(key) != value for key, value in constraints.node_selector):
        return False
    terms = constraints.node_terms
    return terms is None or any(term.matches(node.labels, node.name) for term in terms)


NODE_AFFINITY = Predicate("node-affinity", against)
