"""Reading the audit log."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from controlplane.auditing import AuditLog, parse


def event(more: Mapping[str, object] | None = None, **target: str) -> str:
    """Return a line as kube-apiserver writes it."""
    return json.dumps(
        {**(more or {})}
        | {
            "verb": "create",
            "user": {"username": "system:serviceaccount:bayplan-system:bayplan-descheduler"},
            "objectRef": {"resource": "pods", "namespace": "t1", "apiVersion": "v1"} | target,
            "responseStatus": {"code": 201 if more else 429},
        }
    )


def test_evictions_of_a_namespace_are_found_with_their_answers(tmp_path: Path) -> None:
    file = tmp_path / "audit.log"
    lines = [event(subresource="eviction", name="web-1"), event(subresource="eviction", namespace="t2"), event()]
    file.write_text("\n".join(lines) + "\n")

    (found,) = AuditLog(file).evictions(namespace="t1")

    assert (found.name, found.code) == ("web-1", 429)
    assert found.user.endswith(":bayplan-descheduler")
    assert len(AuditLog(file).evictions()) == 2


def test_a_line_that_is_being_written_is_left_for_later(tmp_path: Path) -> None:
    file = tmp_path / "audit.log"
    whole = event(subresource="eviction", name="web-1")
    file.write_text(f"{whole}\n{whole[:80]}")

    assert [request.name for request in AuditLog(file).requests()] == ["web-1"]


def test_a_log_that_does_not_exist_yet_is_empty(tmp_path: Path) -> None:
    assert AuditLog(tmp_path / "audit.log").writes(user="somebody") == []


def test_what_was_asked_for_and_when_is_read_of_an_eviction() -> None:
    more = {
        "requestReceivedTimestamp": "2026-11-30T20:00:00.250000Z",
        "stageTimestamp": "2026-11-30T20:00:00.500000Z",
        "requestObject": {"deleteOptions": {"preconditions": {"uid": "u1"}}},
    }

    found = parse(event(more, subresource="eviction"))

    assert (found.uid, found.granted) == ("u1", True)
    assert found.at - found.asked == 0.25
    assert found.at == 1796068800.5


@pytest.mark.parametrize(
    "tried",
    [{"requestObject": {"deleteOptions": {"dryRun": ["All"]}}}, {"requestURI": "/api/v1/pods/a/eviction?dryRun=All"}],
    ids=["in-the-body", "in-the-address"],
)
def test_an_eviction_that_was_only_tried_is_not_granted(tried: dict[str, object]) -> None:
    found = parse(event(tried, subresource="eviction"))

    assert (found.code, found.granted) == (201, False)
