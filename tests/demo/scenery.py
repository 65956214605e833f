"""Values for the tests of the demonstration: pods on nodes, and moments of a cluster."""

from typing import Any

from demo.load import Pod
from demo.sights import Decision, Move, NodeSight, Sight


def pod(workload: str, node: str, number: int = 1) -> Pod:
    """Return a pod."""
    return Pod(f"{workload}-{number}-{node}", workload, node)


def node(name: str = "node-1", **changes: Any) -> NodeSight:
    """Return a calm node."""
    given: dict[str, Any] = {
        "name": name,
        "pods": 5,
        "score": 0.5,
        "headroom": 0.5,
        "slack": None,
        "buoyancy": 0.5,
        "refused": "",
        "points": 5,
        "confidence": "full",
    }
    return NodeSight(**given | changes)


def sight(*nodes: NodeSight, **changes: Any) -> Sight:
    """Return a moment."""
    given: dict[str, Any] = {"at": 0.0, "nodes": nodes, "troubles": {}}
    return Sight(**given | changes)


def decision(**changes: Any) -> Decision:
    """Return a decision: an eviction."""
    given = {"kind": "evicted", "rule": "buoyancy", "node": "node-1", "pod": "search-1", "rail": "", "why": "hot"}
    return Decision(**given | changes)


def move(**changes: Any) -> Move:
    """Return a move that ended well."""
    given = {
        "pod": "search-1",
        "workload": "search",
        "rule": "buoyancy",
        "reason": "hot",
        "source": "node-1",
        "state": "Accepted",
        "landing": "Moved",
        "replacement": "search-2",
        "node": "node-2",
    }
    return Move(**given | changes)
