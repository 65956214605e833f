"""Required anti-affinity in both directions, at the level of the topology each term names.

The pod's own terms against the pods that stand there, and the terms of those against the pod. A pod that is going
still counts, as it does for kube-scheduler; the pod that is to move does not count against itself.
"""

from collections.abc import Iterable, Iterator

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.feasibility.rows import Mask
from policies.values.pods import Pod


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes in whose domain a pod stands that this one, or that does not want this one, near it."""
    for term in pod.constraints.anti_affinity:
        others = occupancy.crowd.feared_by(term)
        yield Closure("anti-affinity", _domains(pod, others, term.topology_key, occupancy))
    for opposition in occupancy.crowd.opposing(pod):
        rows = _domains(pod, opposition.pods, opposition.term.topology_key, occupancy)
        yield Closure("anti-affinity of a pod there", rows)


def _domains(pod: Pod, others: Iterable[Pod], key: str, occupancy: Occupancy) -> Mask:
    rows = (occupancy.row_of(other) for other in others if other.uid != pod.uid)
    return occupancy.rows.sharing_domain(key, rows)


ANTI_AFFINITY = Predicate("anti-affinity", closures)
