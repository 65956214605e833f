"""At most so many disruptions among some pods, as a running count."""

from collections.abc import Iterable

from descheduler.optimiser.tables import NOWHERE, Tables
from descheduler.optimiser.ties.tie import EVERYWHERE, Nodes


class BudgetTie:
    """Counts members off their node, and victims that got another one; a negative allowance allows none.

    Like every tie it begins with all members nowhere: they are disturbed until they are put where they run.
    """

    __slots__ = ("_home", "_left", "_tables")

    def __init__(self, tables: Tables, members: Iterable[int], allowed: int) -> None:
        self._home, self._tables = tables.home, tables
        self._left: int = max(allowed, 0) - sum(self._home[member] >= 0 for member in set(members))

    def change(self, pod: int, old: int, new: int) -> None:
        """Take one where the pod is disturbed by this, give one back where it no longer is."""
        home = self._home[pod]
        self._left += (0 <= home != old) - (0 <= home != new)

    def blocked(self, pod: int) -> Nodes | None:
        """Return every node for a victim when nothing is left: to move it is a disruption too.

        It has been lifted when this is asked, which took one already.
        """
        return EVERYWHERE if self._left < 0 and self._tables.left[pod] > NOWHERE else None

    def holds(self) -> bool:
        """Whether it is not overdrawn."""
        return self._left >= 0
