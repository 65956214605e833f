"""Hard topology spread: with the pod, no domain may exceed the emptiest eligible one by more than `maxSkew`.

Eligible are the domains of nodes that the pod may use: those that its selector and affinity allow, and whose taints it
tolerates where the constraint asks for that. Pods that are going do not count, nor does the pod that is to move.
"""

from collections.abc import Iterator

import numpy as np

from policies.feasibility.node_affinity import wanted
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.feasibility.rows import Mask
from policies.feasibility.taints import tolerated
from policies.values.pods import Pod, PodTerm, SpreadConstraint


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes without the topology, and those whose domain would hold too many."""
    for constraint in pod.constraints.spread:
        codes = occupancy.rows.codes(constraint.topology_key)
        yield Closure(f"no label {constraint.topology_key} for topology spread", codes < 0)
        eligible = eligible_nodes(pod, constraint, occupancy)
        domains = np.unique(codes[eligible])
        if not domains.size:
            continue
        counts = _counts(pod, constraint, occupancy, eligible=eligible)
        least = counts[domains].min() if domains.size >= constraint.min_domains else 0
        itself = int(constraint.selector is not None and constraint.selector.matches(pod.labels))
        yield Closure("topology spread", (codes >= 0) & (counts[codes] + itself - least > constraint.max_skew))


def _counts(
    pod: Pod, constraint: SpreadConstraint, occupancy: Occupancy, *, eligible: Mask
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return how many matching pods stay in each domain, on eligible nodes."""
    term = PodTerm(constraint.topology_key, constraint.selector, frozenset({pod.namespace}))
    others = (other for other in occupancy.crowd.spoken_of(term) if other.uid != pod.uid and occupancy.stays(other))
    rows = np.fromiter((occupancy.row_of(other) for other in others), np.intp)
    codes = occupancy.rows.codes(constraint.topology_key)
    return np.bincount(codes[rows[eligible[rows]]], minlength=len(codes) + 1)


def eligible_nodes(pod: Pod, constraint: SpreadConstraint, occupancy: Occupancy) -> Mask:
    """Return the mask of the nodes whose domains count: all topologies of the pod, and its wishes as asked for."""
    mask = np.ones(len(occupancy.rows.nodes), np.bool_)
    for each in pod.constraints.spread:
        mask &= occupancy.rows.codes(each.topology_key) >= 0
    if constraint.honour_affinity:
        mask &= wanted(pod.constraints, occupancy)
    if constraint.honour_taints:
        tolerations = pod.constraints.tolerations
        mask &= occupancy.mask(
            ("tolerated", tolerations), lambda: occupancy.rows.where(lambda node: tolerated(node.taints, tolerations))
        )
    return mask


SPREAD = Predicate("topology-spread", closures)
