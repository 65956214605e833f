"""What the filter and the score would say of a pod, per node, and what that rests on; decides nothing of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

from extender.board import Board
from extender.judging import Judge
from policies.placement.filtering import decide_filter
from policies.placement.prioritizing import decide_prioritize
from policies.placement.reasons import TEXTS, Reason
from policies.placement.views import View
from policies.plans.sights import PlanSight
from policies.values.pods import Pod


def explain(pod: Pod, names: Sequence[str], *, judge: Judge, nodes: Board) -> dict[str, Any]:
    """Answer a filter and a prioritize call about all the names without remembering them, with the reasons."""
    with judge.turn:
        view = judge.view(pod)
        decision = decide_filter(pod, names, view)
        plan, promises = _plan(view.plan), _promises(view.plan)
    reasons = {name: reason for reason, refused in decision.refused.items() for name in refused}
    # kube-scheduler asks for scores of what the filter passed, and neutral is relative to those: ask as it does. What
    # was refused is scored beside it, for people.
    passed = [name for name in names if name not in reasons]
    scores = dict(zip(names, decide_prioritize(pod, names, view), strict=True))
    scores |= dict(zip(passed, decide_prioritize(pod, passed, view), strict=True))
    return {
        "pod": str(pod),
        "uid": pod.uid,
        "exempt": decision.exempt,
        "holdOver": view.hold_over,
        "emptied": decision.emptied,
        "plan": plan,
        "nodes": [
            {
                "node": name,
                **_verdict(name, reasons.get(name), view),
                "score": scores[name],
                **_standing(name, nodes),
                "promised": promises.get(name),
            }
            for name in sorted(names)
        ],
    }


def _plan(sight: PlanSight | None) -> Mapping[str, Any] | None:
    """Say what the plan in force means to the pod: where it is awaited, what it has claimed, whether it is held."""
    if sight is None:
        return None
    claim = sight.claims.of(sight.pod.uid)
    return {
        "name": sight.plan.name,
        "version": sight.plan.version,
        "phase": sight.plan.phase,
        "hold": sight.plan.hold,
        "planned": sight.planned,
        "held": sight.held,
        "awaited": {**sight.awaited},
        "open": {**sight.open},
        "claim": None if claim is None else {"place": claim.place and claim.place.node, "nodes": [*claim.nodes]},
    }


def _promises(sight: PlanSight | None) -> Mapping[str, Mapping[str, Any]]:
    """Say of each node with promises who is awaited there, what is left for the pod, and what others have claimed."""
    if sight is None:
        return {}
    return {
        name: {
            "to": [
                {"whom": one.whom if isinstance(one.whom, str) else str(one.whom.controller), "count": one.count}
                for one in reserve.promises
            ],
            "left": {**reserve.room(sight.pod.priority).left},
            "claimed": {**sight.claims.on(name)},
        }
        for name, reserve in sight.force.promised.items()
    }


def _verdict(name: str, reason: Reason | None, view: View) -> Mapping[str, Any]:
    return {
        "verdict": "feasible" if reason is None else "refused",
        "reason": reason,
        "text": None if reason is None else TEXTS[reason],
        # Below the threshold and yet feasible: the limit on refused nodes, the nomination or the end of the hold.
        "spared": reason is None and name in view.ratings.below,
        "evictedFromAt": view.steered.get(name),
    }


def _standing(name: str, nodes: Board) -> Mapping[str, Any]:
    standing = nodes.standing(name)
    if standing is None:
        return {"confidence": "unknown", "resources": {}}
    return {
        "confidence": standing.confidence,
        "buoyancy": {"filter": standing.filter_buoyancy, "score": standing.score_buoyancy},
        "headroom": standing.headroom,
        "slack": standing.slack,
        "contested": standing.contested,
        "resources": {
            resource: {
                "score": standing.scores.get(resource),
                "assumed": standing.assumed.get(resource, 0.0),
                "state": standing.absent.get(resource, "fresh"),
                "measured": measured.value,
                "age": measured.age,
            }
            for resource, measured in nodes.measured(name).items()
        },
    }
