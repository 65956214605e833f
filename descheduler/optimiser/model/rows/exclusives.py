"""Host ports: at most one of some pods on a node, once somebody comes to it."""

import numpy as np

from descheduler.optimiser.model.draft import Draft, Sum
from descheduler.optimiser.model.layout import Layout
from descheduler.optimiser.model.rows.regions import regions, taking


def add(draft: Draft, layout: Layout) -> None:
    """Add a row for every node where two could meet."""
    frame = layout.frame
    tables = frame.cast.tables
    home = np.maximum(tables.origin, tables.left)
    nodes = range(len(tables.room))
    for exclusive in frame.concerned(frame.cast.concerns.exclusives):
        today = np.bincount(home[list(set(exclusive.members))] + 1, minlength=len(nodes) + 1)[1:]
        for node, region in regions(layout, exclusive.members, nodes).items():
            if region.most <= 1 or not region.coming:
                continue
            total, most = region.standing, 1
            if today[node] > 1:  # two that share it today may go on; whoever comes must be alone
                total = total.plus(Sum([taking(draft, region)], [region.most]))
                most += region.most
            draft.at_most(total, most)
