"""Topology spread as running counts by domain."""

from typing import NamedTuple

from descheduler.optimiser.problem import Spread
from descheduler.optimiser.tables import Tables
from descheduler.optimiser.ties.counts import Counts
from descheduler.optimiser.ties.regions import NAMELESS, Regions
from descheduler.optimiser.ties.tie import Nodes


class Over(NamedTuple):
    """The domains whose least number counts, and how many were named; one object for all ties with the same ones."""

    domains: frozenset[int]
    named: int

    @staticmethod
    def of(named: tuple[int, ...]) -> "Over":
        """Return those of the named domains that are one."""
        names = frozenset(named)
        return Over(frozenset(domain for domain in names if domain >= 0), len(names))


class SpreadTie:
    """Counts by domain: pods that the selector matches, and carriers that are new."""

    __slots__ = ("_carriers", "_comers", "_count", "_counted", "_few", "_home", "_over", "_regions", "_skew")

    def __init__(self, spread: Spread, tables: Tables, regions: Regions, over: Over) -> None:
        self._home, self._regions = tables.home, regions
        self._carriers, self._counted = frozenset(spread.carriers), frozenset(spread.counted)
        self._over, self._few = over.domains, over.named < spread.min_domains
        self._skew = spread.max_skew
        self._count, self._comers = Counts(), Counts()
        for domain, pods in spread.fixed:
            if domain >= 0:
                self._count.add(domain, pods)

    def change(self, pod: int, old: int, new: int) -> None:
        """Move one."""
        for place, step in ((old, -1), (new, 1)):
            if place < 0:
                continue
            domain = self._regions.of[place]
            if domain >= 0 and pod in self._counted:
                self._count.add(domain, step)
            if place != self._home[pod] and pod in self._carriers:
                self._comers.add(domain, step)

    def blocked(self, pod: int) -> Nodes | None:
        """Return for a carrier the nodes of domains that would hold too many with it."""
        if pod not in self._carriers:
            return None
        # A domain that would be too full is not the least one, so that the least stays as it is.
        most = self._limit() - (pod in self._counted)
        full = (domain for domain, count in self._count.items() if count > most)
        return self._regions.nodes((NAMELESS, *full))

    def holds(self) -> bool:
        """Whether no domain that takes somebody holds more than the least plus the skew."""
        if NAMELESS in self._comers:
            return False
        limit = self._limit() if self._comers else 0
        return all(self._count.get(domain, 0) <= limit for domain in self._comers)

    def _limit(self) -> int:
        return self._skew + (0 if self._few else self._least())

    def _least(self) -> int:
        """Return the least number of a domain that counts: 0 while one of them is empty."""
        found = [count for domain, count in self._count.items() if domain in self._over]
        return min(found, default=0) if len(found) == len(self._over) else 0
