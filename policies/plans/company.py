"""Where a pod would shut a planned one out of its node: required anti-affinity, in both directions.

Required affinity shuts nobody out. Spread constraints do, by changing the skew: they are not looked at here, a plan
that is hindered by one runs out of time.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from policies.feasibility.terms import speaks_of
from policies.plans.force import PlanInForce
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import Pod

# A label and its value: what all nodes of one topology domain have in common.
Domain: TypeAlias = tuple[str, str]
# Labels of namespaces are not known to whoever asks: a term that rests on them may speak of anybody.
_UNKNOWN: Final = Cluster(now=0.0, unreadable={kinds.NAMESPACES: "not watched"})


def barred(pod: Pod, names: Iterable[str], force: PlanInForce, nodes: Mapping[str, Node]) -> list[str]:
    """Return the names of nodes that stand in a domain that a planned pod of at least this priority would lose."""
    if not pod.constraints.anti_affinity and not force.repelling:
        return []  # nearly always
    domains = {*_domains(pod, force, nodes)}
    if not domains:
        return []
    return [name for name in names if name in nodes and not domains.isdisjoint(nodes[name].labels.items())]


def _domains(pod: Pod, force: PlanInForce, nodes: Mapping[str, Node]) -> Iterator[Domain]:
    for name, reserve in force.promised.items():
        for promise in reserve.promises:
            sample = force.samples.get(promise.whom)
            if sample is None or promise.priority < pod.priority or name not in nodes:
                continue
            labels = nodes[name].labels
            yield from ((key, labels[key]) for key in _keys(pod, sample) if key in labels)


def _keys(pod: Pod, planned: Pod) -> Iterator[str]:
    """Yield the topology keys in whose domains the two cannot both stand."""
    for mine, other in ((pod, planned), (planned, pod)):
        for term in mine.constraints.anti_affinity:
            if speaks_of(term, other, _UNKNOWN, unknown=True):
                yield term.topology_key
