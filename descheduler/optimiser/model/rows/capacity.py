"""No node holds more than its room: one row a node and resource, left out where it cannot bind.

Memory in bytes makes coefficients of 10^11. A row is divided by what all its amounts have in common; where that is
not enough a millionth of the largest node is the unit, requests rounded up and room down, unless the plan that the
model starts from, or doing nothing, would no longer fit then.
"""

from typing import Final

import numpy as np

from descheduler.optimiser.model.draft import LEAST, Draft
from descheduler.optimiser.model.layout import Layout
from descheduler.optimiser.tables import Ints

_FINE: Final = 1_000_000


def add(draft: Draft, layout: Layout, *, exact: bool) -> bool:
    """Add the rows; return whether any amount was rounded."""
    frame = layout.frame
    tables = frame.cast.tables
    requests = tables.requests[frame.sample]
    order = np.argsort(frame.site, kind="stable")
    bounds = np.searchsorted(frame.site[order], np.arange(len(frame.sites) + 1))
    put = np.array(layout.put, dtype=np.int64)
    units = np.maximum(1, tables.room.max(axis=0, initial=1) // _FINE)
    rounded = False
    for site, node in enumerate(frame.sites.tolist()):
        cells = order[bounds[site] : bounds[site + 1]]
        asked = requests[frame.kind[cells]]
        for resource, room in enumerate(tables.room[node].tolist()):
            some = asked[:, resource] > 0
            amounts = asked[some, resource]
            if int((amounts * frame.most[cells[some]]).sum()) <= room:
                continue
            row = _Row(amounts, room, int(units[resource]))
            coarse = not exact and row.coarse() and all(row.fits(used) for used in _uses(layout, cells[some]))
            rounded |= coarse
            coefficients, most = row.rounded() if coarse else row.reduced()
            draft.row(put[cells[some]].tolist(), coefficients.tolist(), least=LEAST, most=most)
    return rounded


class _Row:
    def __init__(self, amounts: Ints, room: int, unit: int) -> None:
        self._amounts, self._room, self._unit = amounts, room, unit
        self._common = int(np.gcd.reduce(amounts))

    def coarse(self) -> bool:
        """Whether the exact amounts are finer than the unit."""
        return self._common < self._unit

    def rounded(self) -> tuple[Ints, int]:
        return -(-self._amounts // self._unit), self._room // self._unit

    def reduced(self) -> tuple[Ints, int]:
        return self._amounts // self._common, self._room // self._common

    def fits(self, counts: Ints) -> bool:
        amounts, room = self.rounded()
        return int((amounts * counts).sum()) <= room


def _uses(layout: Layout, cells: Ints) -> tuple[Ints, Ints]:
    """Return how many pods of each cell there are in the plan that the model starts from, and now."""
    frame = layout.frame
    return layout.counts(frame.where)[cells], np.minimum(frame.present[cells], frame.most[cells])
