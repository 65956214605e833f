"""A node that is cordoned, not Ready or going takes no pod."""

import pytest

from policies.feasibility.node_state import why_unusable
from policies.values.nodes import Node, Taint
from policies.values.pods import Toleration
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import closed, limited, occupied


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (make_node(), None),
        (make_node(cordoned=True), "cordoned"),
        (make_node(ready=False), "not Ready"),
        (make_node(terminating=True, cordoned=True), "terminating"),
        (make_node(taints=(Taint("node.kubernetes.io/unschedulable", "", "NoSchedule"),)), "cordoned"),
        (make_node(taints=(Taint("node.kubernetes.io/not-ready", "", "NoExecute"),)), "not Ready"),
        (make_node(taints=(Taint("ToBeDeletedByClusterAutoscaler", "1", "NoSchedule"),)), "about to be removed"),
        (make_node(taints=(Taint("karpenter.sh/disruption", "disrupting", "NoSchedule"),)), "about to be removed"),
        (make_node(taints=(Taint("dedicated", "gpu", "NoSchedule"),)), None),
    ],
)
def test_reason_why_a_node_is_left_in_peace(node: Node, why: str | None) -> None:
    assert why_unusable(node) == why


def test_toleration_of_the_cordon_does_not_open_the_node() -> None:
    tolerant = make_pod(constraints=limited(tolerations=(Toleration(operator="Exists"),)))
    nodes = [make_node("n1"), make_node("n2", cordoned=True), make_node("n3", ready=False), make_node("n4")]

    assert closed(tolerant, occupied(nodes)) == {"n2": "node-state: cordoned", "n3": "node-state: not Ready"}
