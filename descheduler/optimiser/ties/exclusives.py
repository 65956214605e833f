"""At most one of some pods on a node, as a running count."""

import numpy as np

from descheduler.optimiser.tables import Bools, Tables


class ExclusiveTie:
    """Counts members by node, and those that are new there."""

    def __init__(self, tables: Tables) -> None:
        self._home = tables.home
        self._count = np.zeros(len(tables.room), dtype=np.int64)
        self._comers = np.zeros_like(self._count)

    def change(self, pod: int, old: int, new: int) -> None:
        """Move one."""
        for place, step in ((old, -1), (new, 1)):
            if place >= 0:
                self._count[place] += step
                self._comers[place] += step * (place != self._home[pod])

    def blocked(self, pod: int) -> Bools | None:  # noqa: ARG002  # all members are alike
        """Return the nodes that have one."""
        return self._count > 0

    def holds(self) -> bool:
        """Whether everybody new is alone."""
        return not bool(((self._comers > 0) & (self._count > 1)).any())
