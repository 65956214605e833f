"""A workload that misses its objective on one of its nodes."""

from typing import Any

from tests.builders import make_pod
from tests.policies.rules.worlds import (
    Given,
    make_policy,
    make_slo,
    steady,
)

WEB = tuple(make_pod(f"web-{number}", node=f"n{number}") for number in range(3))
WELL = steady(0.3)


def breached(**changes: Any) -> Given:
    """Return three replicas on three nodes short of headroom, the first of which breaches its objective."""
    tuned = changes.pop("policy", {})
    defaults: dict[str, Any] = {
        "policy": make_policy("cpu", slos=changes.pop("slos", [make_slo()]), **tuned),
        "scores": {"cpu": {f"n{number}": steady(0.8) for number in range(3)}},
        "slack": {"p99": {"default/web-0": steady(-0.2), "default/web-1": WELL, "default/web-2": WELL}},
        "pods": WEB,
    }
    return Given(**(defaults | changes))
