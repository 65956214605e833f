"""Decisions for a person at a terminal and for a program: a table, or JSON; prints nothing by itself."""

import json
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from descheduler.decisions import CycleResult, Decision, Kind
from descheduler.planning import showing
from descheduler.planning.results import Result
from sources.kube.decoding.times import rfc3339

_STYLES: Final = {Kind.EVICTED: "bold red", Kind.OBSERVED: "bold yellow", Kind.UNKNOWN: "magenta", Kind.REFUSED: "dim"}


def as_json(result: CycleResult, planned: Result | None = None) -> str:
    """Return everything about a cycle, and the plan after it if there was an attempt, as one JSON object."""
    whole: dict[str, Any] = {
        "at": rfc3339(result.at),
        "mode": result.mode,
        "leading": result.leading,
        "policyHash": result.policy_hash,
        "duration": round(result.duration, 3),
        "summary": result.summary(),
        "decisions": [_row(line) for line in result.decisions],
        "landings": [
            {
                "record": record.name,
                "pod": f"{record.namespace}/{record.pod}",
                "landing": seen.landing,
                "node": seen.node,
            }
            for record, seen in result.landed
        ],
        "troubles": dict(result.troubles),
    }
    if planned is not None:
        plan = None if planned.plan is None else showing.whole(planned.plan)
        whole["plan"] = {"outcome": planned.outcome, "detail": planned.detail, "plan": plan}
    return json.dumps(whole, indent=2)


def _row(line: Decision) -> dict[str, Any]:
    return {
        "decision": line.kind,
        "rule": line.rule,
        "trouble": line.trouble,
        "node": line.node,
        "pod": None if line.pod is None else str(line.pod),
        "workload": None if line.workload is None else str(line.workload),
        "destination": line.destination,
        "reason": line.reason,
        "rail": line.rail or None,
        "message": line.message or None,
        "answer": line.answer or None,
        "evidence": dict(line.evidence),
    }


def print_table(result: CycleResult, console: Console) -> None:
    """Print a cycle for a person: victims and refusals with their reasons, then landings, troubles and the sum."""
    if result.decisions:
        console.print(_decisions(result))
    for record, seen in result.landed:
        where = f" on {seen.node}" if seen.node else ""
        console.print(Text(f"{record.namespace}/{record.pod} from {record.node}: {seen.landing}{where}"))
    for step, text in result.troubles.items():
        console.print(Text(f"no eviction ({step}): {text}", style="bold red"))
    console.print(Text(f"{result.mode}: {result.summary()} ({result.duration:.2f} s)"))


def print_planned(planned: Result, console: Console) -> None:
    """Print what came of the attempt at a plan."""
    if planned.plan is not None:
        showing.print_plan(planned.plan, console)
    console.print(Text(f"plan: {planned.outcome}" + (f": {planned.detail}" if planned.detail else "")))


def _decisions(result: CycleResult) -> Table:
    table = Table(
        "decision", "rule", *map(showing.named, ("pod", "from", "to", "why")), show_edge=False, pad_edge=False
    )
    for line in result.decisions:
        why = f"{line.rail}: {line.message}" if line.rail else line.reason
        cells = (line.kind, line.rule, str(line.pod or "-"), line.node or "-", line.destination or "-", why)
        table.add_row(*(Text(cell) for cell in cells), style=_STYLES[line.kind])
    return table
