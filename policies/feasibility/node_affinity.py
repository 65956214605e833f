"""The pod's node selector and required node affinity must match; a term without requirements matches no node."""

from collections.abc import Iterator

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.feasibility.rows import Mask
from policies.values.nodes import Node
from policies.values.pods import Constraints, Pod


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes that the pod does not want."""
    constraints = pod.constraints
    if constraints.node_selector or constraints.node_terms is not None:
        yield Closure("node selector or affinity", ~wanted(constraints, occupancy))


def wanted(constraints: Constraints, occupancy: Occupancy) -> Mask:
    """Return the mask of the nodes that meet the selector and at least one of the terms."""
    key = ("wanted", constraints.node_selector, constraints.node_terms)
    return occupancy.mask(key, lambda: occupancy.rows.where(lambda node: _wants(constraints, node)))


def _wants(constraints: Constraints, node: Node) -> bool:
    if any(node.labels.get(key) != value for key, value in constraints.node_selector):
        return False
    terms = constraints.node_terms
    return terms is None or any(term.matches(node.labels, node.name) for term in terms)


NODE_AFFINITY = Predicate("node-affinity", closures)
