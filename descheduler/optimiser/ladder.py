"""The target ladder on the whole model: more pods placed, nobody evicted, as few disruptions as possible.

How many pods of a tier may stay unplaced is a hard limit, raised until there is a plan (docs/design/optimiser.md,
section 5). The tiers below keep at least what they have, so that any interrupted answer is acceptable.
"""

from dataclasses import dataclass
from typing import Final

from descheduler.optimiser.limits import Limit, floors, price, settled
from descheduler.optimiser.model.assembling import Model, total
from descheduler.optimiser.model.draft import Sum
from descheduler.optimiser.search import Search

_SMALL: Final = 1_000  # variables up to which all tiers at once are likely to be solved to the end
_JOINT: Final = 0.5  # of the ladder's time for all tiers at once, where there are more


@dataclass(slots=True)
class Known:
    """Bounds. So many pods of the tiers up to each stay unplaced in every plan, or in every plan without evictions.

    `weight` is a bound of the disruptions in a plan that leaves `beside` pods by tier without a place and evicts none.
    """

    least: tuple[int, ...]
    without_eviction: tuple[int, ...]
    weight: float | None = None
    beside: tuple[int, ...] = ()

    def targets(self) -> list[int]:
        """Return the least unplaced pods by tier that plans without evictions might reach, most important first."""
        found: list[int] = []
        for least in self.without_eviction:
            found.append(max(0, least - sum(found)))
        return found


class Ladder:
    """Climbs one model; every answer is offered to the search."""

    def __init__(self, search: Search, model: Model, known: Known) -> None:
        self._search, self._model, self._known = search, model, known

    def climb(self, most: float) -> None:
        """Place more pods without evicting any."""
        until = self._search.clock.used() + most
        if self._search.options.order == "placement-first" and not self._full():
            self._joint(most if self._model.draft.size <= _SMALL else most * _JOINT)
        for tier in range(len(self._model.unplaced)):
            self._tier(tier, until)

    def _full(self) -> bool:
        return all(now <= goal for now, goal in zip(self._search.score.unplaced, self._known.targets(), strict=True))

    def _joint(self, most: float) -> None:
        """Ask for everything at once: if that is feasible only disruptions are left."""
        search, model = self._search, self._model
        everybody = total(model.unplaced)
        limits = [
            *zip(model.evicted, search.score.evicted, strict=True),
            *zip(model.unplaced, self._known.targets(), strict=True),
            *price(search, model, everybody, sum(search.score.unplaced)),
        ]
        search.attempt(model, limits, total(model.weights), most=most)

    def _tier(self, tier: int, until: float) -> None:
        search, model = self._search, self._model
        above = sum(search.score.unplaced[:tier])
        goal = max(0, self._known.without_eviction[tier] - above)
        while goal < search.score.unplaced[tier]:
            left = until - search.clock.used()
            rungs = search.score.unplaced[tier] - goal
            limits: list[Limit] = [
                *floors(model, search.score),
                (model.unplaced[tier], goal),
                *settled(search, model, tier),
                *price(search, model, model.unplaced[tier], search.score.unplaced[tier]),
            ]
            if search.attempt(model, limits, self._disruptions(tier), most=left / (rungs + 1)).values is not None:
                return
            if search.clock.used() >= until or search.clock.over():
                return
            goal += 1

    def _disruptions(self, tier: int) -> Sum:
        weights = self._model.weights
        return weights[tier] if self._search.options.order == "frozen" else total(weights)
