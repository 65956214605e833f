"""The tables that a person watches, made from values; prints nothing by itself."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from demo.results import Check, Figures, Results
from demo.sights import Decision, Move, NodeSight, Sight

_BAR: Final = 12
_FULL_BAR: Final = 1.5
_LEGEND: Final = "R: 0 idle, 1 saturated. headroom: 1 - R. slack: margin to the objective. buoyancy: the less."
_ROOMY: Final = 0.3
_STYLES: Final = {"evicted": "bold red", "observed": "bold yellow", "unknown": "magenta", "refused": "yellow"}


def number(value: float | None, *, signed: bool = False) -> str:
    """Return a figure with two decimals; a dash where nothing is known."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:+.2f}" if signed else f"{value:.2f}"


def live(sight: Sight, told: Sequence[Text], decided: Iterable[tuple[Decision, int]]) -> RenderableType:
    """Return everything that is shown while the story goes on; `told` is its end so far."""
    parts: list[RenderableType] = [
        Panel(Group(*told), title="what happens", title_align="left", border_style="cyan"),
        nodes(sight.nodes),
        Text(_LEGEND, style="dim"),
        decisions(decided),
    ]
    if sight.troubles:
        parts.append(Text(f"descheduler: {'; '.join(sight.troubles.values())}", style="magenta"))
    return Group(*parts)


def nodes(found: Iterable[NodeSight]) -> Table:
    """Return the nodes with score, headroom, slack and buoyancy, and what the extender says of new pods there."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("node", "pods"):
        table.add_column(heading, no_wrap=True)
    table.add_column("score R", no_wrap=True)
    for heading in ("headroom", "slack", "buoyancy"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("new pods", no_wrap=True)
    for node in found:
        table.add_row(
            node.name,
            str(node.pods),
            bar(node.score),
            Text(number(node.headroom, signed=True), style=colour(node.headroom)),
            Text(number(node.slack, signed=True), style=colour(node.slack)),
            Text(number(node.buoyancy, signed=True), style=colour(node.buoyancy)),
            _new_pods(node),
        )
    return table


def bar(score: float | None) -> Text:
    """Return a score as a bar with its figure."""
    if score is None:
        return Text("not known", style="dim")
    filled = min(_BAR, round(_BAR * score / _FULL_BAR))
    return Text(f"{'█' * filled}{'·' * (_BAR - filled)} {score:.2f}", style=colour(1.0 - score))


def colour(margin: float | None) -> str:
    """Return a style for a margin: red below 0, yellow where it is thin."""
    if margin is None or math.isnan(margin):
        return "dim"
    return "bold red" if margin < 0 else "yellow" if margin < _ROOMY else "green"


def decisions(decided: Iterable[tuple[Decision, int]]) -> Table:
    """Return the decisions of the descheduler with their reasons."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title="decisions of the descheduler")
    table.title_justify = "left"
    for heading in ("pod", "node", "decision"):
        table.add_column(heading, no_wrap=True)
    table.add_column("cycles", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    for decision, cycles in decided:
        what = f"{decision.kind}: {decision.rail}" if decision.rail else decision.kind
        style = _STYLES.get(decision.kind, "")
        table.add_row(decision.pod or "-", decision.node or "-", Text(what, style=style), str(cycles), decision.why)
    return table


def moves(found: Iterable[Move]) -> Table:
    """Return who was moved, from where to where."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title="pods moved", title_justify="left")
    for heading in ("pod", "from", "replacement", "on", "outcome", "rule"):
        table.add_column(heading, no_wrap=True)
    for one in found:
        table.add_row(one.pod, one.source, one.replacement or "-", one.node or "-", one.landing or "-", one.rule)
    return table


def ending(found: Results) -> RenderableType:
    """Return the end: before and after, the moves, the decisions, and whether the story came true."""
    rows = (
        ("most contended node (score R)", *_columns(found, lambda one: f"{number(one.score)} {one.score_on}")),
        (
            "worst slack of an objective",
            *_columns(found, lambda one: f"{number(one.slack, signed=True)} {one.slack_on}"),
        ),
        ("oversubscribed nodes", *_columns(found, lambda one: str(one.oversubscribed))),
        ("nodes closed to new pods", *_columns(found, lambda one: str(one.closed))),
        ("pods that miss their objective", *_columns(found, lambda one: str(one.breaching))),
    )
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title="before and after", title_justify="left")
    for heading in ("", "before", "at the worst", "after"):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        table.add_row(*row)
    moved = moves(found.memory.last.moves)
    return Group(table, "", moved, "", decisions(found.memory.decided.values()), "", *map(_checked, found.checks))


def _columns(found: Results, text: Callable[[Figures], str]) -> tuple[str, str, str]:
    memory = found.memory
    return text(memory.before), text(memory.worst), text(found.after)


def _new_pods(node: NodeSight) -> Text:
    if node.refused:
        return Text("refused", style="bold red")
    return Text(f"{node.points} of 10", style=colour(node.buoyancy))


def _checked(check: Check) -> Text:
    mark, style = ("true ", "green") if check.true else ("FALSE", "bold red")
    return Text.assemble((mark, style), f" {check.sentence}", (f" ({check.seen})" if check.seen else "", "dim"))
