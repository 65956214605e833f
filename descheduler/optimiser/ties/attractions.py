"""Required affinity as running counts by domain."""

import numpy as np

from descheduler.optimiser.problem import Attraction
from descheduler.optimiser.tables import Tables
from descheduler.optimiser.ties.counts import Counts
from descheduler.optimiser.ties.regions import NAMELESS, Regions
from descheduler.optimiser.ties.tie import Nodes


class AttractionTie:
    """Counts by domain: matches that are there before any carrier comes, carriers that are new, the matching ones.

    `settled` are the members that count as matches when they are new: those that wait for nobody themselves. Others are
    late: an exempt first pod may be bound before or after them, so they may only come to its own domain.
    """

    __slots__ = (
        "_bound",
        "_carriers",
        "_comers",
        "_first_exempt",
        "_fixed",
        "_home",
        "_late",
        "_matching",
        "_own",
        "_regions",
        "_settled",
    )

    def __init__(self, attraction: Attraction, tables: Tables, regions: Regions, settled: frozenset[int]) -> None:
        self._home, self._regions = tables.home, regions
        self._carriers, self._matching = frozenset(attraction.carriers), frozenset(attraction.matching)
        self._settled = settled
        self._first_exempt = attraction.first_exempt
        self._fixed = frozenset(domain for domain in attraction.fixed if domain >= 0)
        self._bound, self._comers, self._own, self._late = Counts(), Counts(), Counts(), Counts()

    def change(self, pod: int, old: int, new: int) -> None:
        """Move one."""
        carries, matches = pod in self._carriers, pod in self._matching
        for place, step in ((old, -1), (new, 1)):
            if place < 0:
                continue
            domain, new_here = self._regions.of[place], place != self._home[pod]
            if matches and domain >= 0:
                self._match(pod, domain, step, new=new_here)
            if new_here and carries:
                self._comers.add(domain, step)

    def blocked(self, pod: int) -> Nodes | None:
        """Return for a carrier the nodes of domains without a match, unless it may be the first."""
        if pod not in self._carriers:
            return None
        if pod in self._matching and not self._own and self._may_open():
            return self._regions.nodes((NAMELESS,))
        blocked = np.ones(len(self._regions.of), dtype=np.bool_)
        blocked[self._regions.nodes(self._fixed.union(self._bound, self._own))] = False
        return blocked

    def holds(self) -> bool:
        """Whether every carrier that is new finds a match before it, or is the exempt first or next to it."""
        if NAMELESS in self._comers:
            return False
        alone = [domain for domain in self._comers if not self._found(domain)]
        if not alone:
            return True
        return (
            self._may_open()
            and len(alone) == 1
            and alone[0] in self._own
            and all(domain == alone[0] for domain in self._late)
        )

    def _match(self, pod: int, domain: int, step: int, *, new: bool) -> None:
        if not new or pod in self._settled:
            self._bound.add(domain, step)
        elif pod not in self._carriers:
            self._late.add(domain, step)
        if new and pod in self._carriers:
            self._own.add(domain, step)

    def _found(self, domain: int) -> bool:
        return domain in self._bound or domain in self._fixed

    def _may_open(self) -> bool:
        """Whether nothing matches anywhere before the first carrier comes."""
        return self._first_exempt and not self._bound and not self._fixed
