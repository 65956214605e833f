"""Who is who within a class: pods that run on a node keep their place first, pending ones come last.

Source: docs/design/optimiser.md, section 3. Numbers per class and node stay as they are; disruptions only fall.
"""

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.tables import NOWHERE, Ints, Tables


def identify(tables: Tables, classes: Classes, where: Ints) -> Ints:
    """Return the same numbers of each class on each node, with as many pods as possible where they run now."""
    settled = where.copy()
    off = tables.running & (where != tables.origin)
    for which in np.unique(classes.of[off]):
        members = classes.members(int(which))
        if len(members) > 1:
            settled[members] = _settle(tables, members, where[members])
    return settled


def _settle(tables: Tables, members: Ints, places: Ints) -> Ints:
    """Hand the places out: to those who run there, to others who run, to pending ones; the rest gets none."""
    # Stable: among equals the problem's own order decides, so that two runs agree.
    ranked = np.lexsort((-tables.keep_first[members], ~tables.running[members]))
    left: dict[int, int] = {}
    for place in places[places >= 0].tolist():
        left[place] = left.get(place, 0) + 1
    origins = tables.origin[members].tolist()
    settled = np.full(len(members), NOWHERE, dtype=np.int64)
    waiting: list[int] = []
    for position in ranked.tolist():
        home = origins[position]
        if home >= 0 and left.get(home, 0) > 0:
            left[home] -= 1
            settled[position] = home
        else:
            waiting.append(position)
    rest = [place for place, count in sorted(left.items()) for _ in range(count)]
    for position, place in zip(waiting, rest, strict=False):
        settled[position] = place
    return settled
