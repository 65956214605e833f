"""Required pod affinity: in the node's topology a pod must stand that all terms speak of and that stays there.

As kube-scheduler has it, the first pod of a group that wants its own company may go anywhere with the topology. A pod
that is going, and the pod that is to move, are no company.
"""

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.feasibility.terms import speaks_of
from policies.values.nodes import Node
from policies.values.pods import Pod, PodTerm


def against(pod: Pod, occupancy: Occupancy) -> Test | None:
    """Return the test of a node's topology, None for a pod without required affinity."""
    terms = pod.constraints.affinity
    if not terms:
        return None
    company = [other for other in _others(pod, occupancy) if _all_speak_of(terms, other, occupancy)]
    nodes = occupancy.cluster.nodes
    keys = {term.topology_key for term in terms}
    pairs = {(key, nodes[other.node or ""].labels.get(key)) for other in company for key in keys}
    # Nobody of the group stands anywhere yet: the pod founds it, if it is of the group itself.
    founds = not company and _all_speak_of(terms, pod, occupancy)

    def test(node: Node) -> str | None:
        here = [(term.topology_key, node.labels.get(term.topology_key)) for term in terms]
        if all(value is not None and (founds or (key, value) in pairs) for key, value in here):
            return None
        return "affinity"

    return test


def _others(pod: Pod, occupancy: Occupancy) -> list[Pod]:
    return [other for other in occupancy.everybody() if other.uid != pod.uid and occupancy.stays(other)]


def _all_speak_of(terms: tuple[PodTerm, ...], pod: Pod, occupancy: Occupancy) -> bool:
    return all(speaks_of(term, pod, occupancy.cluster, unknown=False) for term in terms)


AFFINITY = Predicate("affinity", against)
