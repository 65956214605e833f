"""How many pods cannot have a place whatever is done: bounds from sums, before any search.

Source: docs/design/optimiser.md, section 5. A bound holds for the tiers up to one together: no plan leaves fewer
of their pods without a place.
"""

import numpy as np

from descheduler.optimiser.tables import Bools, Ints, Tables


def hopeless(tables: Tables) -> Bools:
    """Return which pods are larger than every node they may go to, empty as it might be."""
    lost = np.zeros(len(tables.requests), dtype=np.bool_)
    pending = np.flatnonzero(~tables.running)
    keys = np.column_stack([tables.mask_of, tables.requests])[pending]
    distinct, of = np.unique(keys, axis=0, return_inverse=True)
    fits = [bool((tables.room[tables.masks[row[0]]] >= row[1:]).all(axis=1).any()) for row in distinct]
    lost[pending] = ~np.array(fits, dtype=np.bool_)[of.reshape(-1)]
    return lost


def least_unplaced(tables: Tables, lost: Bools) -> tuple[int, ...]:
    """Return for each tier how many pods of it and the tiers above stay unplaced at least; `lost` are the hopeless."""
    total = tables.room.sum(axis=0)
    return tuple(_least(tables, tables.tier <= tier, lost, total) for tier in range(tables.tiers))


def least_without_eviction(tables: Tables, lost: Bools) -> tuple[int, ...]:
    """Return the same for plans in which every running pod keeps a place."""
    total = tables.room.sum(axis=0) - tables.requests[tables.running].sum(axis=0)
    pending = ~tables.running
    return tuple(_least(tables, pending & (tables.tier <= tier), lost, total) for tier in range(tables.tiers))


def _least(tables: Tables, wanted: Bools, lost: Bools, total: Ints) -> int:
    requests = tables.requests[wanted & ~lost]
    fitting = [_smallest_first(requests[:, resource], int(room)) for resource, room in enumerate(total)]
    return int((wanted & lost).sum()) + len(requests) - min(fitting, default=len(requests))


def _smallest_first(amounts: Ints, room: int) -> int:
    return int(np.searchsorted(np.cumsum(np.sort(amounts)), room, side="right"))
