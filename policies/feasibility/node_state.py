"""Whether a node takes pods at all, and leaves its own in peace; knows no pod."""

from typing import Final

from policies.values.nodes import Node

# Taints that say "this node is going away": Cluster Autoscaler's and Karpenter's (before and since its v1).
REMOVAL_TAINTS: Final = frozenset(
    {
        "ToBeDeletedByClusterAutoscaler",
        "karpenter.sh/disrupted",
        "karpenter.sh/disruption",
        "node.kubernetes.io/out-of-service",
    }
)
_NOT_READY: Final = frozenset({"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})
_CORDONED: Final = "node.kubernetes.io/unschedulable"


def why_unusable(node: Node) -> str | None:
    """Say in a word why a node is neither source nor destination of a move; None where it is both."""
    keys = {taint.key for taint in node.taints}
    if node.terminating:
        return "terminating"
    if not node.ready or keys & _NOT_READY:
        return "not Ready"
    if node.cordoned or _CORDONED in keys:
        return "cordoned"
    return "about to be removed" if keys & REMOVAL_TAINTS else None
