"""Required anti-affinity in both directions, at the level of the topology each term names.

The pod's own terms against the pods that stand there, and the terms of those against the pod. A pod that is going
still counts, as it does for kube-scheduler; the pod that is to move does not count against itself.
"""

from collections.abc import Iterator

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.feasibility.terms import speaks_of
from policies.values.nodes import Node
from policies.values.pods import Pod, PodTerm


def against(pod: Pod, occupancy: Occupancy) -> Test | None:
    """Return the test of a node's topology, None where no term concerns the pod."""
    mine = frozenset(_from_own_terms(pod, occupancy))
    theirs = frozenset(_from_others_terms(pod, occupancy))
    if not mine and not theirs:
        return None

    def test(node: Node) -> str | None:
        if _meets(node, mine):
            return "anti-affinity"
        return "anti-affinity of a pod there" if _meets(node, theirs) else None

    return test


def _meets(node: Node, pairs: frozenset[tuple[str, str]]) -> bool:
    return any(pair in pairs for pair in node.labels.items())


def _from_own_terms(pod: Pod, occupancy: Occupancy) -> Iterator[tuple[str, str]]:
    """Yield the topologies (label and value) where a pod stands that one of the pod's own terms speaks of."""
    for term in pod.constraints.anti_affinity:
        for other in _reach(term, occupancy):
            if other.uid != pod.uid and speaks_of(term, other, occupancy.cluster, unknown=True):
                yield from _place(other, term.topology_key, occupancy)


def _reach(term: PodTerm, occupancy: Occupancy) -> Iterator[Pod]:
    """Yield the pods a term can speak of: those of its namespaces, unless it selects namespaces by label."""
    if term.namespace_selector is not None:
        yield from occupancy.everybody()
        return
    for namespace in term.namespaces:
        yield from occupancy.members(namespace)


def _from_others_terms(pod: Pod, occupancy: Occupancy) -> Iterator[tuple[str, str]]:
    """Yield the topologies where a pod stands one of whose terms speaks of this pod."""
    for constraints, others in occupancy.opposed():
        for term in constraints.anti_affinity:
            if speaks_of(term, pod, occupancy.cluster, unknown=True):
                for other in others:
                    if other.uid != pod.uid:
                        yield from _place(other, term.topology_key, occupancy)


def _place(pod: Pod, key: str, occupancy: Occupancy) -> Iterator[tuple[str, str]]:
    value = occupancy.cluster.nodes[pod.node or ""].labels.get(key)
    if value is not None:
        yield key, value


ANTI_AFFINITY = Predicate("anti-affinity", against)
