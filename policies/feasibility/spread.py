"""Hard topology spread: with the pod, no domain may exceed the emptiest eligible one by more than `maxSkew`.

Eligible are the domains of nodes that the pod may use: those that its selector and affinity allow, and whose taints it
tolerates where the constraint asks for that. Pods that are going do not count, nor does the pod that is to move.
"""

from collections.abc import Mapping

from policies.feasibility.node_affinity import wants
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.feasibility.taints import untolerated
from policies.values.nodes import Node
from policies.values.pods import Pod, SpreadConstraint


def against(pod: Pod, occupancy: Occupancy) -> Test | None:
    """Return the test of a node's domains, None for a pod without hard constraints."""
    constraints = pod.constraints.spread
    if not constraints:
        return None
    counted = [(constraint, _counts(pod, constraint, occupancy)) for constraint in constraints]

    def test(node: Node) -> str | None:
        return next((why for each, counts in counted if (why := _why(node, pod, each, counts)) is not None), None)

    return test


def _why(node: Node, pod: Pod, constraint: SpreadConstraint, counts: Mapping[str, int]) -> str | None:
    domain = node.labels.get(constraint.topology_key)
    if domain is None:
        return f"topology spread: no {constraint.topology_key}"
    if not counts:
        return None
    least = min(counts.values()) if len(counts) >= constraint.min_domains else 0
    itself = int(constraint.selector is not None and constraint.selector.matches(pod.labels))
    fits = counts.get(domain, 0) + itself - least <= constraint.max_skew
    return None if fits else "topology spread"


def _counts(pod: Pod, constraint: SpreadConstraint, occupancy: Occupancy) -> dict[str, int]:
    """Return how many matching pods stay in each eligible domain, empty domains included."""
    counts: dict[str, int] = {}
    for node in occupancy.cluster.nodes.values():
        if _eligible(node, pod, constraint):
            counts.setdefault(node.labels[constraint.topology_key], 0)
    selector = constraint.selector
    for other in occupancy.members(pod.namespace):
        node = occupancy.cluster.nodes[other.node or ""]
        if other.uid == pod.uid or not occupancy.stays(other) or not _eligible(node, pod, constraint):
            continue
        if selector is not None and selector.matches(other.labels):
            counts[node.labels[constraint.topology_key]] += 1
    return counts


def _eligible(node: Node, pod: Pod, constraint: SpreadConstraint) -> bool:
    if any(each.topology_key not in node.labels for each in pod.constraints.spread):
        return False
    if constraint.honour_affinity and not wants(pod.constraints, node):
        return False
    return not constraint.honour_taints or untolerated(node.taints, pod.constraints.tolerations) is None


SPREAD = Predicate("topology-spread", against)
