"""Topology spread as running counts by domain."""

from descheduler.optimiser.problem import Spread
from descheduler.optimiser.tables import Bools, Tables
from descheduler.optimiser.ties.regions import regions_of


class SpreadTie:
    """Counts by domain: pods that the selector matches, and carriers that are new."""

    def __init__(self, spread: Spread, tables: Tables) -> None:
        self._home = tables.home
        self._carriers, self._counted = frozenset(spread.carriers), frozenset(spread.counted)
        named = {*spread.least_over, *(domain for domain, _ in spread.fixed)}
        self._regions = regions_of(spread.domains, frozenset(named))
        self._over = [self._regions.number[domain] for domain in set(spread.least_over) if domain >= 0]
        self._few = len(set(spread.least_over)) < spread.min_domains
        self._skew = spread.max_skew
        self._count, self._comers = self._regions.zeros(), self._regions.zeros()
        for domain, pods in spread.fixed:
            if domain >= 0:
                self._count[self._regions.number[domain]] += pods

    def change(self, pod: int, old: int, new: int) -> None:
        """Move one."""
        for place, step in ((old, -1), (new, 1)):
            if place >= 0:
                domain = self._regions.of[place]
                self._count[domain] += step * (pod in self._counted)
                self._comers[domain] += step * (pod in self._carriers and place != self._home[pod])

    def blocked(self, pod: int) -> Bools | None:
        """Return for a carrier the nodes of domains that would hold too many with it."""
        if pod not in self._carriers:
            return None
        counts = self._count[:-1] + (pod in self._counted)
        # With the pod in the one least domain the least itself may rise: `holds` decides about those.
        full = (counts > self._least() + 1 + self._skew) if pod in self._counted else (counts > self._limit())
        return self._regions.nodes(full, nameless=True)

    def holds(self) -> bool:
        """Whether no domain that takes somebody holds more than the least plus the skew."""
        taking = self._comers > 0
        return not bool(taking[-1] or (self._count[:-1][taking[:-1]] > self._limit()).any())

    def _least(self) -> int:
        return 0 if self._few or not self._over else int(self._count[self._over].min())

    def _limit(self) -> int:
        return self._least() + self._skew
