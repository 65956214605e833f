"""Every pod has one fate: a node that exists, or none; looks at no constraint."""

from collections.abc import Iterator

from descheduler.optimiser.checking.violations import Rule, Violation
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment


def violations(problem: Problem, assignment: Assignment) -> Iterator[Violation]:
    """Yield what keeps the answer from being read at all."""
    if len(assignment) != len(problem.items):
        yield Violation(
            rule=Rule.FATE,
            where="assignment",
            seen=f"{len(assignment)} places",
            allowed=f"one for each of {len(problem.items)} pods",
        )
        return
    for item, node in zip(problem.items, assignment, strict=True):
        # A bool is an int to Python, and 1.0 equals 1: both are an external solver's mistake.
        if node is not None and (type(node) is not int or not 0 <= node < len(problem.sites)):
            yield Violation(
                rule=Rule.FATE,
                where=item.key,
                seen=f"node {node!r}",
                allowed=f"none, or one of 0 to {len(problem.sites) - 1}",
            )
