"""Required anti-affinity as running counts by domain."""

from typing import Final

import numpy as np

from descheduler.optimiser.problem import Separation
from descheduler.optimiser.tables import Bools, Ints, Tables
from descheduler.optimiser.ties.regions import regions_of

CARRIER: Final = 0
OTHER: Final = 1
BOTH: Final = 2


def roles(separation: Separation) -> dict[int, int]:
    """Return for each member whether it only carries the term, only matches it, or does both."""
    carriers, others = set(separation.carriers), set(separation.others)
    return {pod: BOTH if pod in carriers and pod in others else int(pod in others) for pod in carriers | others}


class SeparationTie:
    """Counts, by role and domain, who stands there and who is new."""

    def __init__(self, separation: Separation, tables: Tables) -> None:
        self._home = tables.home
        self._role = roles(separation)
        self._regions = regions_of(separation.domains)
        self._count = np.stack([self._regions.zeros() for _ in range(3)])
        self._comers = np.zeros_like(self._count)

    def change(self, pod: int, old: int, new: int) -> None:
        """Move one."""
        role = self._role[pod]
        for place, step in ((old, -1), (new, 1)):
            if place >= 0:
                domain = self._regions.of[place]
                self._count[role, domain] += step
                self._comers[role, domain] += step * (place != self._home[pod])

    def blocked(self, pod: int) -> Bools | None:
        """Return the nodes of every domain where somebody is against the pod."""
        return self._regions.nodes(self._against(self._role[pod])[:-1] > 0, nameless=False)

    def holds(self) -> bool:
        """Whether nobody is against anybody new."""
        return not any(self._meets(role) for role in (CARRIER, OTHER, BOTH))

    def _against(self, role: int) -> Ints:
        """Return by domain how many stand against one of a role; those of both roles against each other too."""
        against: Ints = self._count.sum(axis=0)
        return against if role == BOTH else against - self._count[role]

    def _meets(self, role: int) -> bool:
        alone = 1 if role == BOTH else 0  # it is no enemy of itself
        return bool(((self._comers[role] > 0) & (self._against(role) > alone))[:-1].any())
