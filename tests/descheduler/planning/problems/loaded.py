"""Policies with signals, and how nodes stand, for the tests of measured load."""

from typing import Any

from policies.model.policy import Policy
from policies.values.resources import CPU
from policies.values.standings import Confidence, NodeStanding
from tests.descheduler.planning.problems.paper import make_policy

SIGNALS: dict[str, Any] = {
    "resources": {"cpu": {"node": "q", "age": "q", "additive": True}, "llc": {"node": "q", "age": "q"}}
}


def loaded_policy(**cpu: Any) -> Policy:
    """Return a policy whose plans may move anybody, and that measures an additive and another resource."""
    base = make_policy()
    resources = {"cpu": {**SIGNALS["resources"]["cpu"], **cpu}, "llc": SIGNALS["resources"]["llc"]}
    sections = {"apiVersion": "bayplan.dev/v1alpha1", "kind": "Policy", "signals": {"resources": resources}}
    return Policy.model_validate(sections).model_copy(update={"plan": base.plan})


def standing(node: str, score: float, **changes: Any) -> NodeStanding:
    """Return how a fresh node stands whose CPU has this score."""
    buoyancy = 1 - score
    defaults: dict[str, Any] = {
        "confidence": Confidence.FULL,
        "headroom": buoyancy,
        "filter_buoyancy": buoyancy,
        "score_buoyancy": buoyancy,
        "scores": {CPU: score, "llc": 0.1},
    }
    return NodeStanding(node=node, **(defaults | changes))
