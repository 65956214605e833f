"""Passes a plan through every rule; knows none of them itself."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from descheduler.optimiser.checking import (
    attractions,
    budgets,
    capacity,
    eligibility,
    evictions,
    exclusives,
    fates,
    gains,
    ordering,
    separations,
    spreads,
)
from descheduler.optimiser.checking.judged import Judged, lay_out
from descheduler.optimiser.checking.violations import Violation
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options

_RULES: Final[tuple[Callable[[Judged], Iterator[Violation]], ...]] = (
    capacity.violations,
    eligibility.violations,
    exclusives.violations,
    separations.violations,
    attractions.violations,
    spreads.violations,
    budgets.violations,
    evictions.violations,
    gains.violations,
    ordering.violations,
)


def check(
    problem: Problem, assignment: Assignment, options: Options, *, steps: Sequence[int] | None = None
) -> tuple[Violation, ...]:
    """Return everything that is wrong with a plan, nothing where it may be used.

    `steps` are the items in the order in which they are disturbed. An answer that does not give every pod one fate is
    judged no further.
    """
    unreadable = tuple(fates.violations(problem, assignment))
    if unreadable:
        return unreadable
    judged = lay_out(problem, assignment, options, None if steps is None else tuple(steps))
    return tuple(violation for rule in _RULES for violation in rule(judged))
