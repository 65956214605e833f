"""Required anti-affinity as running counts by domain; a host port is one too, with every node a domain of its own."""

from typing import Final

from descheduler.optimiser.problem import Separation
from descheduler.optimiser.tables import Tables
from descheduler.optimiser.ties.regions import Regions
from descheduler.optimiser.ties.tie import Nodes

CARRIER: Final = 0
OTHER: Final = 1
BOTH: Final = 2
_COMERS: Final = 3  # a crowd counts by role those that stand there, then those of them that are new


def roles(separation: Separation) -> dict[int, int]:
    """Return for each member whether it only carries the term, only matches it, or does both."""
    if separation.carriers == separation.others:
        return dict.fromkeys(separation.carriers, BOTH)
    carriers, others = set(separation.carriers), set(separation.others)
    return {pod: BOTH if pod in carriers and pod in others else int(pod in others) for pod in carriers | others}


class SeparationTie:
    """Counts, by domain where anybody stands and by role, who stands there and who is new."""

    __slots__ = ("_crowds", "_home", "_quarrels", "_regions", "_role")

    def __init__(self, separation: Separation, tables: Tables, regions: Regions) -> None:
        self._home = tables.home
        self._role = roles(separation)
        self._regions = regions
        self._crowds: dict[int, list[int]] = {}
        self._quarrels = 0

    def change(self, pod: int, old: int, new: int) -> None:
        """Move one."""
        for place, step in ((old, -1), (new, 1)):
            if place >= 0 and (domain := self._regions.of[place]) >= 0:
                self._step(domain, self._role[pod], step, new=place != self._home[pod])

    def blocked(self, pod: int) -> Nodes:
        """Return the nodes of every domain where somebody is against the pod."""
        role = self._role[pod]
        if role == BOTH:  # everybody is against it
            return self._regions.nodes(self._crowds)
        return self._regions.nodes([domain for domain, crowd in self._crowds.items() if _others(crowd, role)])

    def holds(self) -> bool:
        """Whether nobody is against anybody new."""
        return not self._quarrels

    def _step(self, domain: int, role: int, step: int, *, new: bool) -> None:
        crowd = self._crowds.setdefault(domain, [0] * (2 * _COMERS))
        before = _quarrel(crowd)
        crowd[role] += step
        crowd[_COMERS + role] += step * new
        self._quarrels += _quarrel(crowd) - before
        if not any(crowd):
            del self._crowds[domain]


def _others(crowd: list[int], role: int) -> int:
    """Return how many stand there in other roles."""
    return sum(crowd[:_COMERS]) - crowd[role]


def _quarrel(crowd: list[int]) -> bool:
    """Whether somebody is against somebody new; one of both roles is no enemy of itself."""
    carriers, others, both, new_carriers, new_others, new_both = crowd
    return bool(
        (new_carriers and others + both)
        or (new_others and carriers + both)
        or (new_both and carriers + others + both > 1)
    )
