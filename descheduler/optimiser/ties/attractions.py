"""Required affinity as running counts by domain."""

import numpy as np

from descheduler.optimiser.problem import Attraction
from descheduler.optimiser.tables import Bools, Tables
from descheduler.optimiser.ties.regions import regions_of


class AttractionTie:
    """Counts by domain: matches that are there before any carrier comes, carriers that are new, the matching ones.

    `settled` are the members that count as matches when they are new: those that wait for nobody themselves. Others are
    late: an exempt first pod may be bound before or after them, so they may only come to its own domain.
    """

    def __init__(self, attraction: Attraction, tables: Tables, settled: frozenset[int]) -> None:
        self._home = tables.home
        self._carriers, self._matching = frozenset(attraction.carriers), frozenset(attraction.matching)
        self._settled = settled
        self._first_exempt = attraction.first_exempt
        self._regions = regions_of(attraction.domains, frozenset(attraction.fixed))
        self._fixed = np.zeros(self._regions.count, dtype=np.bool_)
        self._fixed[[self._regions.number[domain] for domain in attraction.fixed if domain >= 0]] = True
        self._bound, self._comers, self._own, self._late = (self._regions.zeros() for _ in range(4))

    def change(self, pod: int, old: int, new: int) -> None:
        """Move one."""
        for place, step in ((old, -1), (new, 1)):
            if place < 0:
                continue
            domain, new_here = self._regions.of[place], place != self._home[pod]
            if pod in self._matching and (not new_here or pod in self._settled):
                self._bound[domain] += step
            elif pod in self._matching and pod not in self._carriers:
                self._late[domain] += step
            if new_here and pod in self._carriers:
                self._comers[domain] += step
                self._own[domain] += step * (pod in self._matching)

    def blocked(self, pod: int) -> Bools | None:
        """Return for a carrier the nodes of domains without a match, unless it may be the first."""
        if pod not in self._carriers:
            return None
        found = self._found() | (self._own[:-1] > 0)
        if not found.any() and self._may_open() and pod in self._matching:
            found = ~found
        return self._regions.nodes(~found, nameless=True)

    def holds(self) -> bool:
        """Whether every carrier that is new finds a match before it, or is the exempt first or next to it."""
        if self._comers[-1] > 0:
            return False
        alone = (self._comers[:-1] > 0) & ~self._found()
        if not alone.any():
            return True
        return (
            self._may_open()
            and int(alone.sum()) == 1
            and bool((self._own[:-1][alone] > 0).all())
            and not bool((self._late[:-1][~alone] > 0).any())
        )

    def _found(self) -> Bools:
        return (self._bound[:-1] > 0) | self._fixed

    def _may_open(self) -> bool:
        """Whether nothing matches anywhere before the first carrier comes."""
        return self._first_exempt and not bool(self._found().any())
