"""Records for the tests of the descheduler: sensible defaults, everything else by keyword."""

from typing import Any

from policies.model.policy import Policy
from policies.values.records import EvictionRecord, Landing, RecordState, Verification
from policies.values.workloads import WorkloadRef
from tests.builders import NOW

WEB = WorkloadRef("Deployment", "default", "web")


def make_record(
    name: str = "uid-web-0", *, state: RecordState = RecordState.ACCEPTED, **changes: Any
) -> EvictionRecord:
    """Return the record of an eviction of `web-0` from n1 a minute ago."""
    defaults: dict[str, Any] = {
        "name": name,
        "pod_uid": "uid-web-0",
        "pod": "web-0",
        "namespace": "default",
        "node": "n1",
        "rule": "buoyancy",
        "reason": "cpu of n1 is contested",
        "at": NOW - 60,
        "state": state,
        "workload": WEB,
        "controller": WorkloadRef("ReplicaSet", "default", "web-rs"),
    }
    return EvictionRecord(**(defaults | changes))


def landed(landing: Landing, **changes: Any) -> Verification:
    """Return a verification with this landing."""
    return Verification(landing=landing, **changes)


def make_policy(**sections: Any) -> Policy:
    """Return a policy; each keyword is a section as it stands in YAML."""
    return Policy.model_validate({"apiVersion": "bayplan.dev/v1alpha1", "kind": "Policy"} | sections)
