"""Clusters to look for a place in, and short words for selectors and terms."""

from collections.abc import Iterable
from typing import Any

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicates import feasible
from policies.rails.view import View
from policies.values.nodes import Node
from policies.values.pods import Constraints, Pod, PodTerm
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from tests.builders import make_cluster

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"


def labelled(**labels: str) -> LabelSelector:
    """Return the selector of pods with these labels."""
    return LabelSelector(tuple(Requirement(key, Operator.IN, (value,)) for key, value in labels.items()))


def in_zone(*zones: str) -> NodeSelectorTerm:
    """Return the node selector term of some zones."""
    return NodeSelectorTerm((Requirement(ZONE, Operator.IN, zones),))


def apart(key: str = HOST, **labels: str) -> PodTerm:
    """Return a term about pods of the default namespace with these labels."""
    return PodTerm(key, labelled(**labels), frozenset({"default"}))


def limited(**constraints: Any) -> Constraints:
    """Return constraints."""
    return Constraints(**constraints)


def occupied(nodes: Iterable[Node], pods: Iterable[Pod] = (), **cluster: Any) -> Occupancy:
    """Return the occupancy of a cluster."""
    return Occupancy(View(make_cluster(nodes, pods, **cluster), ()))


def closed(pod: Pod, occupancy: Occupancy) -> dict[str, str]:
    """Return each node that cannot take the pod, with the predicate and its reason in words."""
    answers = {name: feasible(pod, name, occupancy) for name in occupancy.rows.row}
    words = {name: refusal for name, refusal in answers.items() if refusal is not None}
    return {name: f"{refusal.rail}: {refusal.message.partition(': ')[2]}" for name, refusal in words.items()}
