"""Every volume must be attachable at the destination: its node affinity, its class's topologies, its access mode.

A claim that is not known, and an unbound one that nobody will bind there, fits nowhere. A volume that only one node
may attach fits nowhere else while another pod uses it.
"""

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Predicate, Test
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.selectors import NodeSelectorTerm
from policies.values.volumes import Claim

_SHARED = frozenset({"ReadWriteMany", "ReadOnlyMany"})


def against(pod: Pod, occupancy: Occupancy) -> Test | None:
    """Return the test of a node against all volumes of the pod, None for a pod without claims."""
    if not pod.claims:
        return None
    tests = [_of_claim(pod, name, occupancy) for name in pod.claims]

    def test(node: Node) -> str | None:
        return next((why for each in tests if (why := each(node)) is not None), None)

    return test


def _of_claim(pod: Pod, name: str, occupancy: Occupancy) -> Test:
    claim = occupancy.cluster.claims.get(f"{pod.namespace}/{name}")
    if claim is None:
        return lambda _node: "claim not known"
    if claim.volume is None:
        return _unbound(claim, occupancy)
    volume = occupancy.cluster.volumes.get(claim.volume)
    if volume is None:
        return lambda _node: "volume not known"
    users = _other_users(pod, name, occupancy) if not claim.access_modes & _SHARED else frozenset()
    terms = volume.node_terms

    def test(node: Node) -> str | None:
        if users - {node.name}:
            return "volume in use on another node"
        return None if terms is None or _meets(node, terms) else _mismatch(terms)

    return test


def _unbound(claim: Claim, occupancy: Occupancy) -> Test:
    storage = occupancy.cluster.storage_classes.get(claim.storage_class or "")
    if storage is None or not storage.waits_for_first_consumer:
        return lambda _node: "claim unbound"
    terms = storage.allowed_topologies
    return lambda node: None if terms is None or _meets(node, terms) else _mismatch(terms)


def _other_users(pod: Pod, claim: str, occupancy: Occupancy) -> frozenset[str | None]:
    pods = occupancy.members(pod.namespace)
    return frozenset(other.node for other in pods if other.uid != pod.uid and claim in other.claims)


def _meets(node: Node, terms: tuple[NodeSelectorTerm, ...]) -> bool:
    return any(term.matches(node.labels, node.name) for term in terms)


def _mismatch(terms: tuple[NodeSelectorTerm, ...]) -> str:
    zonal = any("zone" in requirement.key for term in terms for requirement in term.expressions)
    return "volume zone" if zonal else "volume node affinity"


VOLUMES = Predicate("volumes", against)
