"""No budget is overdrawn: PDBs and limits by their members, and the plan's own number of disruptions."""

from collections.abc import Iterator

from descheduler.optimiser import vectors
from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield each budget with more disruptions than it allows; a negative allowance allows none."""
    items = judged.problem.items
    disturbed = {index for index, node in enumerate(judged.assignment) if vectors.disturbed(items[index], node)}
    for budget in judged.problem.budgets:
        yield from _overdrawn(budget.name, len(disturbed.intersection(budget.members)), budget.allowed)
    if judged.problem.max_disruptions is not None:
        yield from _overdrawn("the plan", len(disturbed), judged.problem.max_disruptions)


def _overdrawn(where: str, seen: int, allowed: int) -> Iterator[Violation]:
    if seen > max(0, allowed):
        yield Violation(rule=Rule.BUDGET, where=where, seen=f"{seen} disruptions", allowed=f"at most {max(0, allowed)}")
