"""The cluster is not used less than before, unless a tier more important than all that lose pods gains one.

Where evictions need a gain of a more important tier anyway, this says nothing new: the rows are added only where that
rule is dropped.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from descheduler.optimiser.model.draft import Draft, Sum, Values
from descheduler.optimiser.model.layout import Layout


def add(draft: Draft, layout: Layout, *, unplaced: Sequence[Sum], evicted: Sequence[Sum]) -> None:
    """Add that one of the primary resources is used as much as the most used one was, or a tier excuses it."""
    ways = [_way(draft, asked, least) for asked, least in _needs(layout)]
    tables = layout.frame.cast.tables
    today = np.bincount(tables.tier[~tables.running], minlength=tables.tiers).tolist()
    lost = Sum()
    for tier, before in enumerate(today):
        lost = lost.plus(evicted[tier])
        if before:
            ways.append(_excuse(draft, unplaced[tier], before, lost))
    if ways:
        draft.any_of(ways)


def _way(draft: Draft, asked: Sum, least: int) -> int:
    def derive(values: Values) -> int:
        return int(asked.value(values) >= least)

    way = draft.variable(1, derive=derive)
    draft.at_least_if(way, asked, least)
    return way


def _excuse(draft: Draft, unplaced: Sum, before: int, lost: Sum) -> int:
    def derive(values: Values) -> int:
        return int(unplaced.value(values) < before and lost.value(values) == 0)

    excuse = draft.variable(1, derive=derive)
    draft.at_least_if(excuse, Sum().plus(unplaced, -1), 1 - before)
    draft.at_least_if(excuse, Sum().plus(lost, -1), 0)
    return excuse


def _needs(layout: Layout) -> Iterator[tuple[Sum, int]]:
    """Yield what is asked of each primary resource, and how much that must be for the usage of today."""
    problem = layout.frame.cast.problem
    tables = layout.frame.cast.tables
    stands = tables.running | tables.leaving
    shares: list[tuple[int, int, int]] = []
    for resource in problem.primary:
        capacity = sum(site.allocatable[resource] for site in problem.sites)
        fixed = capacity - sum(site.room[resource] for site in problem.sites)
        if capacity > 0:
            shares.append((resource, capacity, fixed))
    usage = max(
        (
            Fraction(fixed + int(tables.requests[stands, resource].sum()), capacity)
            for resource, capacity, fixed in shares
        ),
        default=Fraction(0),
    )
    for resource, capacity, fixed in shares:
        least = usage * capacity - fixed
        yield _asked(layout, resource), -(-least.numerator // least.denominator)


def _asked(layout: Layout, resource: int) -> Sum:
    """Return how much of a resource the pods with a place ask for; a victim without one stands on its node."""
    frame = layout.frame
    tables = frame.cast.tables
    fixed = ~frame.free & ((frame.where >= 0) | tables.leaving)
    total = Sum(constant=int(tables.requests[fixed, resource].sum()))
    asked = tables.requests[frame.sample, resource].tolist()
    for kind, put in zip(frame.kind.tolist(), layout.put, strict=True):
        total.add(put, asked[kind])
    for kind in np.flatnonzero(tables.leaving[frame.sample]).tolist():
        total.add(layout.out[kind], asked[kind])
    return total
