"""Disruption budgets: at most so many of some pods leave their node."""

import numpy as np

from descheduler.optimiser.model.draft import Draft, Sum
from descheduler.optimiser.model.layout import Layout
from descheduler.optimiser.tables import Ints


def add(draft: Draft, layout: Layout) -> None:
    """Add a row for every budget that can bind."""
    frame = layout.frame
    cast = frame.cast
    movable = cast.tables.running | cast.tables.leaving
    for budget in frame.concerned(cast.concerns.budgets):
        members = np.array(sorted(set(budget.members)), dtype=np.int64)
        if budget.allowed < int(movable[members].sum()):
            draft.at_most(disruptions(layout, members), max(0, budget.allowed))
    limit = cast.problem.max_disruptions
    if limit is not None and limit < int(movable.sum()):
        draft.at_most(disruptions(layout, np.arange(len(movable))), max(0, limit))


def disruptions(layout: Layout, members: Ints) -> Sum:
    """Return how many members leave their node; a victim does so once it has a place."""
    frame = layout.frame
    tables = frame.cast.tables
    fixed = members[~frame.free[members]]
    moved = (frame.where[fixed] >= 0) & tables.leaving[fixed]
    stays = int((tables.running[fixed] & (frame.where[fixed] == tables.origin[fixed])).sum())
    total = Sum(constant=int(tables.running[members].sum()) - stays + int(moved.sum()))
    kinds = np.isin(frame.kinds, frame.cast.classes.of[members])
    victims = tables.leaving[frame.sample]
    for cell in np.flatnonzero(kinds[frame.kind]).tolist():
        if victims[frame.kind[cell]]:
            total.add(layout.put[cell])
        elif layout.stay[cell] >= 0:
            total.add(layout.stay[cell], -1)
    return total
