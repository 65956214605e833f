"""Reading the audit log."""

import json
from pathlib import Path

from controlplane.auditing import AuditLog


def event(**target: str) -> str:
    """Return a line as kube-apiserver writes it."""
    return json.dumps(
        {
            "verb": "create",
            "user": {"username": "system:serviceaccount:bayplan-system:bayplan-descheduler"},
            "objectRef": {"resource": "pods", "namespace": "t1", "apiVersion": "v1"} | target,
            "responseStatus": {"code": 429},
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


def test_a_log_that_does_not_exist_yet_is_empty(tmp_path: Path) -> None:
    assert AuditLog(tmp_path / "audit.log").writes(user="somebody") == []
