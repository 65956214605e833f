"""A tried plan for a person at a terminal and for a program: tables, or JSON; decides nothing."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from descheduler.optimiser.solution import Proof, Solution
from descheduler.planning.computing import NOTHING_PENDING, Computed
from descheduler.planning.problems.building import Built
from descheduler.planning.showing import ACTIONS, named
from descheduler.planning.trying import Point, point
from policies.values.plans import PlanEntry
from policies.values.pods import Pod
from policies.values.refusals import Refusal

PROOFS: Final[Mapping[Proof, str]] = {
    Proof.IMPROVED_PROVEN: "improved, and proven that nothing is better",
    Proof.IMPROVED: "improved, not proven",
    Proof.NOTHING_BETTER: "proven that nothing is better than doing nothing",
    Proof.NOTHING_FOUND: "nothing better found in the time",
}

_PROVEN: Final = frozenset({Proof.IMPROVED_PROVEN, Proof.NOTHING_BETTER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One number of the compared vector: the plan's, doing nothing's, and the least that is possible if known."""

    name: str
    meaning: str
    plan: int
    nothing: int
    bound: float | None = None

    @property
    def gap(self) -> float | None:
        """How far the plan is from the bound."""
        return None if self.bound is None else max(0.0, self.plan - self.bound)


def rows(built: Built, solution: Solution) -> Iterator[Row]:
    """Yield the vector, most important first."""
    for name, reached in solution.vector.items():
        yield Row(
            name=name,
            meaning=_meaning(name, built.priorities),
            plan=reached,
            nothing=solution.baseline.get(name, 0),
            bound=_bound(name, solution),
        )


def _tier(name: str) -> int | None:
    number = name.partition("[")[2].rstrip("]")
    return int(number) if number else None


def _meaning(name: str, priorities: Sequence[int]) -> str:
    what = {"V": "evicted pods", "U": "pods without a place", "D": "weight of disruptions"}[name[0]]
    tier = _tier(name)
    return what if tier is None else f"{what} of priority {priorities[tier]}"


def _bound(name: str, solution: Solution) -> float | None:
    """Return the least that a number can be while those above it stay as they are, None where nothing is known."""
    tier = _tier(name)
    if solution.proof in _PROVEN:
        return solution.vector[name]  # that is what is proven, number by number
    if name[0] == "U" and tier is not None and tier < len(solution.bounds):
        return solution.bounds[tier]
    return solution.disruptions_bound if name == "D" else None


# ---------------------------------------------------------------------- for programs


def as_json(computed: Computed, curve: Sequence[Point]) -> str:
    """Return everything about an attempt as one JSON object."""
    built, solution = computed.built, computed.solution
    whole: dict[str, Any] = {
        "plan": [_entry(entry) for entry in computed.plan.entries] if computed.plan else [],
        "why": _why(computed),
        "proof": solution.proof if solution else None,
        "solver": solution.solver if solution else None,
        "seconds": round(computed.seconds, 3),
        "vector": [_row(row) for row in rows(built, solution)] if built and solution else [],
        "timings": dict(solution.timings) if solution else {},
        "counts": dict(solution.counts) if solution else {},
        "troubles": list(solution.troubles) if solution else [],
        "curve": [_point(one) for one in curve],
        "waiting": list(map(str, _waiting(computed))),
        "leftOut": _refusals(built.left_out.values()) if built else [],
        "fixed": dict(_rails(built)) if built else {},
        "fixedExample": _examples(built) if built else {},
    }
    return json.dumps(whole, indent=2)


def _entry(entry: PlanEntry) -> dict[str, Any]:
    return {
        "action": entry.action,
        "pod": str(entry),
        "from": entry.source,
        "to": entry.target,
        "priority": entry.priority,
        "reason": entry.reason,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "meaning": row.meaning,
        "plan": row.plan,
        "nothing": row.nothing,
        "bound": row.bound,
        "gap": row.gap,
    }


def _point(one: Point) -> dict[str, Any]:
    return {
        "price": one.price,
        "placed": one.placed,
        "disruptions": one.disruptions,
        "moved": one.moved,
        "evicted": one.evicted,
        "proof": one.proof,
        "seconds": round(one.seconds, 3),
    }


def _refusals(refusals: Iterable[Refusal]) -> list[str]:
    return [str(refusal) for refusal in refusals]


def _waiting(computed: Computed) -> Iterator[Pod]:
    """Yield the pods that the plan leaves pending although it might have placed them."""
    built, solution = computed.built, computed.solution
    if built is not None and solution is not None:
        for pod, item, place in zip(built.pods, built.problem.items, solution.assignment, strict=True):
            if item.node is None and place is None:
                yield pod


def _rails(built: Built) -> Counter[str]:
    return Counter(refusal.rail for refusal in built.fixed.values())


def _examples(built: Built) -> dict[str, str]:
    """Return what one pod of each rail was refused with: it names the setting, or what was seen."""
    return {refusal.rail: refusal.message for refusal in reversed(tuple(built.fixed.values()))}


def _why(computed: Computed) -> str:
    """Say in words what came of the attempt."""
    if computed.refusal is not None:
        return computed.refusal.message
    if computed.why_none == NOTHING_PENDING:
        return "no pod is pending that a plan could place"
    return "" if computed.solution is None else PROOFS[computed.solution.proof]


# ---------------------------------------------------------------------- for people


def print_tables(computed: Computed, curve: Sequence[Point], console: Console) -> None:
    """Print an attempt: the plan, its vector beside doing nothing's, the curve, and who was left out and why."""
    if computed.plan is not None:
        console.print(_plan(computed.plan.entries))
    if computed.built is not None and computed.solution is not None and computed.solution.vector:
        console.print(_vector(computed.built, computed.solution))
    if curve:
        console.print(_curve(curve))
    for line in _lines(computed):
        console.print(Text(line))


def _plan(entries: Sequence[PlanEntry]) -> Table:
    table = Table(
        "step", "what", *map(named, ("pod", "from", "to", "why")), title="Plan", show_edge=False, pad_edge=False
    )
    for number, entry in enumerate(entries, start=1):
        cells = (str(number), entry.action, str(entry), entry.source or "-", entry.target or "-", entry.reason)
        table.add_row(*map(Text, cells), style=ACTIONS[entry.action])
    return table


def _vector(built: Built, solution: Solution) -> Table:
    table = Table(
        "", "compared, most important first", "plan", "doing nothing", "bound", "gap", show_edge=False, pad_edge=False
    )
    for row in rows(built, solution):
        cells = (row.name, row.meaning, str(row.plan), str(row.nothing), _number(row.bound), _number(row.gap))
        table.add_row(*map(Text, cells))
    return table


def _curve(curve: Sequence[Point]) -> Table:
    table = Table(
        "price", "placed", "disruptions", "moved", "evicted", "proof", "seconds", show_edge=False, pad_edge=False
    )
    table.title = "Placed pods against disruptions"
    for one in curve:
        counts = (one.placed, one.disruptions, one.moved, one.evicted)
        table.add_row(str(one.price), *map(str, counts), str(one.proof), f"{one.seconds:.2f}")
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _stay(built: Built) -> Iterator[str]:
    """Say which rails hold bound pods, each with one of its refusals."""
    if built.fixed:
        yield f"{len(built.fixed)} bound pods stay; docs/reference/rails.md says what each rail asks, and what sets it:"
    examples = _examples(built)
    for rail, count in _rails(built).most_common():
        yield f"  {count} by {rail}{', one of them' if count > 1 else ''}: {examples[rail]}"


def _lines(computed: Computed) -> Iterator[str]:
    built, solution = computed.built, computed.solution
    yield from (f"left pending: {pod} of priority {pod.priority}" for pod in _waiting(computed))
    if built is not None:
        yield from (f"not placed: {refusal}" for refusal in built.left_out.values())
        yield from _stay(built)
    if solution is not None:
        yield from (f"trouble: {trouble}" for trouble in solution.troubles)
        counted = point(computed, "any")
        yield (
            f"{counted.placed} placed, {counted.moved} moved, {counted.evicted} evicted by solver {solution.solver} in "
            f"{computed.seconds:.2f} s"
        )
    yield _why(computed)
