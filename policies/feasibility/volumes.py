"""Every volume must be attachable at the destination: its node affinity, its class's topologies, its access mode.

A claim that is not known, and an unbound one that nobody will bind there, fits nowhere. A volume that only one node
may attach fits nowhere else while another pod uses it.
"""

from collections.abc import Iterator

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.feasibility.rows import Mask
from policies.values.pods import Pod
from policies.values.selectors import NodeSelectorTerm
from policies.values.volumes import Claim


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes where one of the pod's volumes cannot be attached."""
    for name in pod.claims:
        yield from _of_claim(pod, name, occupancy)


def _of_claim(pod: Pod, name: str, occupancy: Occupancy) -> Iterator[Closure]:
    claim = occupancy.cluster.claims.get(f"{pod.namespace}/{name}")
    everywhere = occupancy.rows.where(lambda _node: True)
    if claim is None:
        yield Closure("claim not known", everywhere)
    elif claim.volume is None:
        yield from _unbound(claim, occupancy, everywhere)
    elif claim.volume not in occupancy.cluster.volumes:
        yield Closure("volume not known", everywhere)
    else:
        yield from _beyond(occupancy.cluster.volumes[claim.volume].node_terms, occupancy)
        yield from _in_use(pod, claim, occupancy, everywhere)


def _unbound(claim: Claim, occupancy: Occupancy, everywhere: Mask) -> Iterator[Closure]:
    storage = occupancy.cluster.storage_classes.get(claim.storage_class or "")
    if storage is None or not storage.waits_for_first_consumer:
        yield Closure("claim unbound", everywhere)
    else:
        yield from _beyond(storage.allowed_topologies, occupancy)


def _beyond(terms: tuple[NodeSelectorTerm, ...] | None, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes that none of the terms matches."""
    if terms is None:
        return
    zonal = any("zone" in requirement.key for term in terms for requirement in term.expressions)
    rows = occupancy.mask(
        ("reach", terms),
        lambda: occupancy.rows.where(lambda node: not any(each.matches(node.labels, node.name) for each in terms)),
    )
    yield Closure("volume zone" if zonal else "volume node affinity", rows)


def _in_use(pod: Pod, claim: Claim, occupancy: Occupancy, everywhere: Mask) -> Iterator[Closure]:
    """Yield all nodes but those where the other users of an unshared volume stand."""
    if claim.shared:
        return
    for user in occupancy.view.users_of.get(f"{claim.namespace}/{claim.name}", ()):
        if user.uid != pod.uid and user.node is not None:
            yield Closure("volume in use on another node", everywhere & ~occupancy.rows.named([user.node]))


VOLUMES = Predicate("volumes", closures)
