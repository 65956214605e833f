"""What is said of a plan: events on the plan and on its pods; it writes the words only."""

import logging
from collections.abc import Iterable, Iterator
from typing import Final

from descheduler.eventing import Notice
from policies.values.plans import Plan, PlanAction, PlanEntry, PlanPhase

_LOG: Final = logging.getLogger(__name__)
_REASONS: Final = {
    PlanPhase.COMPLETED: "PlanCompleted",
    PlanPhase.TIMED_OUT: "PlanTimedOut",
    PlanPhase.ABORTED: "PlanAborted",
}


def log(plan: Plan) -> None:
    """Log what a plan does, or would do, with each pod."""
    for entry in plan.entries:
        would = " (observed)" if plan.observing else ""
        _LOG.info("%s%s", _fate(entry, plan), would, extra={"plan": plan.name, "action": entry.action.value})


def begun(plan: Plan, namespace: str) -> Iterator[Notice]:
    """Yield what there is to tell when a plan is installed, or would be."""
    verb = "would " if plan.observing else ""
    places = sum(entry.action is PlanAction.PLACE for entry in plan.entries)
    moves = sum(entry.action is PlanAction.MOVE for entry in plan.entries)
    evicts = sum(entry.action is PlanAction.EVICT for entry in plan.entries)
    words = f"{verb}place {places}, move {moves}, evict {evicts} pods (trigger {plan.trigger})"
    yield _about_plan(plan, namespace, "PlanObserved" if plan.observing else "PlanInstalled", words)
    for entry in plan.entries:
        yield _about_pod(entry, plan, "WouldPlan" if plan.observing else "Planned", _fate(entry, plan))


def ended(plan: Plan, namespace: str, evicted: Iterable[PlanEntry] = ()) -> Iterator[Notice]:
    """Yield what there is to tell when a plan has ended."""
    warns = plan.phase is not PlanPhase.COMPLETED
    words = plan.reason or str(plan.phase)
    yield _about_plan(plan, namespace, _REASONS[plan.phase], words, warns=warns)
    gone = {entry.uid for entry in evicted}
    for entry in plan.entries:
        if warns and not entry.disrupts:
            text = f"plan {plan.name} no longer keeps a place on {entry.target}: {words}"
            yield _about_pod(entry, plan, _REASONS[plan.phase], text)
        elif entry.uid in gone:
            yield _about_pod(entry, plan, "Evicted", _fate(entry, plan))


def _fate(entry: PlanEntry, plan: Plan) -> str:
    match entry.action:
        case PlanAction.PLACE:
            what = f"goes to {entry.target}"
        case PlanAction.MOVE:
            what = f"moves from {entry.source} to {entry.target}"
        case _:
            what = f"leaves {entry.source}"
    return f"{entry} {what} by plan {plan.name}. {entry.reason} (policy {plan.policy_hash})"


def _about_plan(plan: Plan, namespace: str, reason: str, message: str, *, warns: bool = False) -> Notice:
    return Notice(
        kind="PlacementPlan",
        namespace=namespace,
        name=plan.name,
        uid=plan.uid,
        reason=reason,
        message=message,
        type="Warning" if warns else "Normal",
    )


def _about_pod(entry: PlanEntry, plan: Plan, reason: str, message: str) -> Notice:
    return Notice(
        kind="Pod",
        namespace=entry.namespace,
        name=entry.pod,
        uid=entry.uid,
        reason=reason,
        message=message,
        key=plan.name,
    )
