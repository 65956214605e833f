"""What is seen of the cluster at one moment, as values, and how they are read out of what the services say; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.objects import Object


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSight:
    """One node, as the extender explains it. None is unknown; `slack` is None as well where no objective applies."""

    name: str
    pods: int
    score: float | None
    headroom: float | None
    slack: float | None
    buoyancy: float | None
    refused: str
    points: int
    confidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One line of the descheduler's report: who, where, what became of it and why."""

    kind: str
    rule: str
    node: str
    pod: str
    rail: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One eviction record: the pod, why it had to go, and where its replacement is."""

    pod: str
    workload: str
    rule: str
    reason: str
    source: str
    state: str
    landing: str
    replacement: str
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """Everything at one moment (Unix seconds)."""

    at: float
    nodes: tuple[NodeSight, ...] = ()
    decisions: tuple[Decision, ...] = ()
    moves: tuple[Move, ...] = ()
    troubles: Mapping[str, str]
    cycles: int = 0

    def headroom(self, name: str) -> float | None:
        """Return the headroom of one node, if it is known."""
        return next((node.headroom for node in self.nodes if node.name == name), None)

    def slack(self, name: str) -> float | None:
        """Return the slack on one node, if there is any."""
        return next((node.slack for node in self.nodes if node.name == name), None)

    @property
    def slacks(self) -> tuple[float, ...]:
        """Return every slack that is known."""
        return tuple(node.slack for node in self.nodes if node.slack is not None)

    @property
    def fullest(self) -> NodeSight | None:
        """Return the node with the largest score, if any is known."""
        known = [node for node in self.nodes if node.score is not None]
        return max(known, key=lambda node: node.score or 0.0, default=None)

    @property
    def slowest(self) -> NodeSight | None:
        """Return the node with the least slack, if any is known."""
        known = [node for node in self.nodes if node.slack is not None]
        return min(known, key=lambda node: node.slack or 0.0, default=None)

    @property
    def measured(self) -> bool:
        """Whether every node is known in full."""
        return bool(self.nodes) and all(node.confidence == "full" for node in self.nodes)


def nodes(explained: Mapping[str, Any], pods: Iterable[Object]) -> tuple[NodeSight, ...]:
    """Return the nodes of what the extender explains about one pod, in the order of their numbers."""
    held: dict[str, int] = {}
    for pod in pods:
        held[pod["spec"].get("nodeName", "")] = held.get(pod["spec"].get("nodeName", ""), 0) + 1
    found = [_node(raw, held.get(raw["node"], 0)) for raw in explained.get("nodes", ())]
    return tuple(sorted(found, key=lambda node: (len(node.name), node.name)))


def _node(raw: Mapping[str, Any], pods: int) -> NodeSight:
    scores = [resource["score"] for resource in raw["resources"].values() if resource["score"] is not None]
    return NodeSight(
        name=raw["node"],
        pods=pods,
        score=max(scores, default=None),
        headroom=raw.get("headroom"),
        slack=raw.get("slack"),
        buoyancy=raw.get("buoyancy", {}).get("score"),
        refused=raw["reason"] or "",
        points=raw["score"],
        confidence=raw["confidence"],
    )


def decisions(report: Mapping[str, Any]) -> tuple[Decision, ...]:
    """Return the decisions of the last run in a report's status."""
    lines = report.get("lastRun", {}).get("decisions", ())
    return tuple(
        Decision(
            kind=raw["decision"],
            rule=raw["rule"],
            node=raw.get("node", ""),
            pod=raw.get("pod", "").rpartition("/")[2],
            rail=raw.get("rail", ""),
            why=raw.get("message") or raw.get("reason", ""),
        )
        for raw in lines
    )


def move(record: Object) -> Move:
    """Return an eviction record as a move."""
    spec, status = record["spec"], record.get("status", {})
    return Move(
        pod=spec["pod"]["name"],
        workload=spec.get("workload", {}).get("name", ""),
        rule=spec["rule"],
        reason=spec["reason"],
        source=spec["node"],
        state=status.get("state", ""),
        landing=status.get("landing", ""),
        replacement=status.get("replacement", {}).get("name", ""),
        node=status.get("node", ""),
    )
