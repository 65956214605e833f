"""Required pod affinity: in the node's topology a pod must stand that all terms speak of and that stays there.

As kube-scheduler has it, the first pod of a group that wants its own company may go anywhere with the topology. A pod
that is going, and the pod that is to move, are no company.
"""

from collections.abc import Iterator

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.feasibility.terms import speaks_of
from policies.values.pods import Pod


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes where the pod's company is missing."""
    rows = [occupancy.row_of(other) for other in _company(pod, occupancy)]
    terms = pod.constraints.affinity
    founds = not rows and all(speaks_of(term, pod, occupancy.cluster, unknown=False) for term in terms)
    for term in terms:
        key = term.topology_key
        near = occupancy.rows.codes(key) >= 0 if founds else occupancy.rows.sharing_domain(key, rows)
        yield Closure("affinity", ~near)


def _company(pod: Pod, occupancy: Occupancy) -> Iterator[Pod]:
    """Yield the pods that every term speaks of and that stay."""
    terms = pod.constraints.affinity
    for other in occupancy.crowd.spoken_of(terms[0]) if terms else ():
        stays = other.uid != pod.uid and occupancy.stays(other)
        if stays and all(speaks_of(term, other, occupancy.cluster, unknown=False) for term in terms[1:]):
            yield other


AFFINITY = Predicate("affinity", closures)
