"""What the services say, read into values."""

from typing import Any

import pytest

from demo import sights
from tests.demo import scenery


def explained(node: str, **changes: Any) -> dict[str, Any]:
    """Return what the extender explains of one node."""
    resources = {"cpu": {"score": 0.6}, "io": {"score": None}}
    standing = {"confidence": "full", "headroom": 0.4, "slack": -0.1, "buoyancy": {"filter": 0.4, "score": -0.1}}
    return {"node": node, "reason": None, "score": 3, "resources": resources} | standing | changes


def test_node_is_read_with_its_pods() -> None:
    pods: list[dict[str, Any]] = [{"spec": {"nodeName": "node-1"}}, {"spec": {"nodeName": "node-1"}}, {"spec": {}}]

    (found,) = sights.nodes({"nodes": [explained("node-1", reason="buoyancy")]}, pods)

    assert (found.pods, found.score, found.headroom, found.slack, found.buoyancy) == (2, 0.6, 0.4, -0.1, -0.1)
    assert (found.refused, found.points, found.confidence) == ("buoyancy", 3, "full")


def test_unknown_node_has_no_figures() -> None:
    bare: dict[str, Any] = {"node": "node-1", "reason": None, "score": 0, "resources": {}, "confidence": "unknown"}

    (found,) = sights.nodes({"nodes": [bare]}, [])

    assert (found.score, found.headroom, found.slack, found.buoyancy) == (None, None, None, None)


def test_nodes_come_in_the_order_of_their_numbers() -> None:
    found = sights.nodes({"nodes": [explained(f"node-{number}") for number in (1, 10, 2)]}, [])

    assert [node.name for node in found] == ["node-1", "node-2", "node-10"]


def test_nothing_explained_is_no_node() -> None:
    assert sights.nodes({}, []) == ()


def test_decisions_are_read_with_rail_or_reason() -> None:
    lines = [
        {"decision": "refused", "rule": "buoyancy", "node": "node-1", "pod": "shop/a", "rail": "veto", "message": "m"},
        {"decision": "evicted", "rule": "buoyancy", "node": "node-1", "pod": "shop/b", "reason": "r"},
        {"decision": "refused", "rule": "soft-slo", "rail": "no-history", "message": "none yet"},
    ]

    found = sights.decisions({"lastRun": {"decisions": lines}})

    assert [(one.pod, one.rail, one.why) for one in found] == [
        ("a", "veto", "m"),
        ("b", "", "r"),
        ("", "no-history", "none yet"),
    ]
    assert sights.decisions({}) == ()


@pytest.mark.parametrize("status", [{}, {"status": {"state": "Intent"}}])
def test_record_without_an_outcome_is_a_move_without_one(status: dict[str, Any]) -> None:
    spec = {"pod": {"name": "a"}, "rule": "buoyancy", "reason": "hot", "node": "node-1"}

    found = sights.move({"spec": spec} | status)

    assert (found.pod, found.source, found.landing, found.replacement, found.node) == ("a", "node-1", "", "", "")


def test_record_with_an_outcome_is_a_move_with_one() -> None:
    spec = {"pod": {"name": "a"}, "rule": "buoyancy", "reason": "hot", "node": "node-1", "workload": {"name": "w"}}
    status = {"state": "Accepted", "landing": "Moved", "replacement": {"name": "b"}, "node": "node-2"}

    found = sights.move({"spec": spec, "status": status})

    assert (found.workload, found.state, found.landing) == ("w", "Accepted", "Moved")
    assert (found.replacement, found.node) == ("b", "node-2")


def test_sight_knows_the_fullest_and_the_slowest_node() -> None:
    seen = scenery.sight(
        scenery.node("node-1", score=0.9, slack=None),
        scenery.node("node-2", score=None, headroom=None, slack=-0.5),
        scenery.node("node-3", slack=0.5),
    )

    assert (seen.fullest, seen.slowest) == (seen.nodes[0], seen.nodes[1])
    assert (seen.headroom("node-1"), seen.headroom("node-2"), seen.headroom("node-9")) == (0.5, None, None)
    assert (seen.slack("node-2"), seen.slack("node-1"), seen.slack("node-9")) == (-0.5, None, None)
    assert seen.slacks == (-0.5, 0.5)


def test_cluster_is_measured_when_every_node_is() -> None:
    assert scenery.sight(scenery.node()).measured
    assert not scenery.sight(scenery.node(), scenery.node("node-2", confidence="partial")).measured
    assert not scenery.sight().measured
    assert (scenery.sight().fullest, scenery.sight().slowest) == (None, None)
