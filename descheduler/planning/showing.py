"""Plans of the cluster for a person at a terminal and for a program; it asks nobody and decides nothing."""

import json
from collections.abc import Iterable
from typing import Any, Final

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from policies.values.plans import Plan, PlanAction, PlanEntry, PlanPhase
from sources.kube.plans import encode_plan_status

_STYLES: Final = {PlanPhase.COMPLETED: "green", PlanPhase.ABORTED: "red", PlanPhase.TIMED_OUT: "red"}
ACTIONS: Final = {PlanAction.PLACE: "green", PlanAction.MOVE: "yellow", PlanAction.EVICT: "bold red"}


def as_json(plans: Iterable[Plan]) -> str:
    """Return plans as a JSON list, newest first as they come."""
    return json.dumps([whole(plan) for plan in plans], indent=2)


def print_plans(plans: Iterable[Plan], console: Console) -> None:
    """Print one line a plan."""
    table = Table(
        named("plan"),
        "phase",
        "trigger",
        "placed",
        "moved",
        "evicted",
        named("reason"),
        show_edge=False,
        pad_edge=False,
    )
    for plan in plans:
        status = encode_plan_status(plan)
        phase = "Observed" if plan.observing else str(plan.phase)
        cells = (plan.name, phase, plan.trigger, status["placed"], status["moved"], status["evicted"], plan.reason)
        table.add_row(*(Text(cell) for cell in cells), style=_STYLES.get(plan.phase, "bold"))
    if table.row_count:
        console.print(table)
    else:
        console.print("no plan")


def print_plan(plan: Plan, console: Console) -> None:
    """Print one plan with its steps, and how far it got."""
    print_plans((plan,), console)
    table = Table("action", *map(named, ("pod", "from", "to", "why")), show_edge=False, pad_edge=False)
    for entry in plan.entries:
        cells = (entry.action, str(entry), entry.source or "-", entry.target or "-", entry.reason)
        table.add_row(*(Text(cell) for cell in cells), style=ACTIONS[entry.action])
    console.print()
    console.print(table)
    for condition in plan.conditions:
        met = "yes" if condition.met else "no"
        console.print(Text(f"{condition.kind}: {met} ({condition.reason}) {condition.message}".rstrip()))


def named(header: str) -> Column:
    """Return a column of names: on a narrow terminal they are folded, as one that is cut cannot be asked for."""
    return Column(header, overflow="fold")


def whole(plan: Plan) -> dict[str, Any]:
    """Return a plan as programs read it."""
    status = encode_plan_status(plan)
    return {
        "name": plan.name,
        "phase": plan.phase,
        "mode": "observe" if plan.observing else "enforce",
        "trigger": plan.trigger,
        "reason": plan.reason,
        "placed": status["placed"],
        "moved": status["moved"],
        "evicted": status["evicted"],
        "finishedAt": status["finishedAt"],
        "vector": dict(plan.vector),
        "policyHash": plan.policy_hash,
        "conditions": status["conditions"],
        "entries": [_entry(entry) for entry in plan.entries],
    }


def _entry(entry: PlanEntry) -> dict[str, Any]:
    return {
        "action": entry.action,
        "pod": str(entry),
        "uid": entry.uid,
        "from": entry.source,
        "to": entry.target,
        "workload": None if entry.workload is None else str(entry.workload),
        "reason": entry.reason,
    }
