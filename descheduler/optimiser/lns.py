"""Large neighbourhood search: the exact model on a dozen nodes at a time, the rest of the plan fixed.

Source: docs/design/optimiser.md, section 5. To grow asks for one more pod at no more than the price; to polish keeps
all pods placed and asks for fewer disruptions. What a round cannot find proves nothing.
"""

from typing import Final

import numpy as np

from descheduler.optimiser.engine import Status
from descheduler.optimiser.limits import Limit, floors, price, settled
from descheduler.optimiser.model.assembling import Model, total
from descheduler.optimiser.model.frame import around
from descheduler.optimiser.search import Search
from descheduler.optimiser.tables import Bools, Ints

_GROW: Final = 10  # nodes of a round that places more, to begin with
_FEWEST, _MOST = 6, 24  # the same after rounds that were too hard, or too small to hold an answer
_POLISH: Final = 10  # nodes of a round that disturbs fewer, to begin with
_GROWING: Final = 0.25  # seconds of a round that places more, at most, to begin with
_LONGEST: Final = 0.8  # the same after rounds that found nothing in their time
_POLISHING: Final = 0.4  # seconds of a round that disturbs fewer, at most
_PATIENCE: Final = 6  # failures in a row before every third round polishes
_WAITING: Final = 60  # pods without a place that enter a round


class Neighbourhoods:
    """Draws nodes, solves them, keeps what is better."""

    def __init__(self, search: Search, *, hopeless: Bools) -> None:
        self._search = search
        self._hopeless = hopeless
        self._random = np.random.default_rng(search.options.seed)
        self._failures = 0
        self._rounds = 0
        self._size, self._polished = _GROW, _POLISH
        self._patience = _GROWING
        self._exhausted = False

    def grow(self, until: float, targets: list[int]) -> None:
        """Place more until the time is reached or every tier has what can be had."""
        search = self._search
        while search.clock.used() < until and not search.clock.over():
            short = [tier for tier, goal in enumerate(targets) if search.score.unplaced[tier] > goal]
            if not short or self._exhausted:
                return
            self._rounds += 1
            if self._failures >= _PATIENCE and self._rounds % 3 == 0:
                self._polish()
                continue
            better = self._grow(short[self._failures % len(short)])
            self._failures = 0 if better else self._failures + 1

    def polish(self, until: float, failures: int) -> None:
        """Disturb fewer until the time is reached, nobody is disturbed, or that often in a row nothing was found."""
        search, failed = self._search, 0
        while search.clock.used() < until and not search.clock.over() and search.score.weight and failed < failures:
            failed = 0 if self._polish() else failed + 1

    def _grow(self, tier: int) -> bool:
        search = self._search
        free = self._shares()
        roomiest = np.argsort(-free, kind="stable")[: self._size]
        sites = roomiest if not self._failures else self._draw(free + 1e-3, self._size)
        model = self._model(sites)
        # Under `frozen` the tier that gains decides who may be disturbed for it; else any gain will do.
        frozen = search.options.order == "frozen"
        gained = model.unplaced[tier] if frozen else total(model.unplaced)
        now = search.score.unplaced[tier] if frozen else sum(search.score.unplaced)
        limits: list[Limit] = [
            *floors(model, search.score),
            (gained, now - 1),
            *settled(search, model, tier),
            *price(search, model, gained, now),
        ]
        outcome = search.attempt(model, limits, total(model.weights), most=self._patience, alone=True, first=True)
        if outcome.status is Status.INFEASIBLE:
            self._exhausted = len(sites) == len(free) and len(np.flatnonzero(search.where < 0)) <= _WAITING
            self._size = min(self._size + 1, _MOST)
        elif outcome.status is Status.UNKNOWN:
            self._size = max(self._size - 1, _FEWEST)
            self._patience = min(self._patience * 1.3, _LONGEST)
        else:
            self._patience = max(self._patience / 1.3, _GROWING)
            return True
        return False

    def _polish(self) -> bool:
        search = self._search
        model = self._model(self._linked(self._polished))
        limits = [*floors(model, search.score), *settled(search, model, len(model.weights))]
        before = search.score
        outcome = search.attempt(model, limits, total(model.weights), most=_POLISHING, alone=True)
        if search.score is before and outcome.status is Status.OPTIMAL:
            self._polished = min(self._polished + 1, _MOST)
        elif outcome.status is not Status.OPTIMAL:
            self._polished = max(self._polished - 1, _FEWEST)
        return search.score is not before

    def _linked(self, count: int) -> Ints:
        """Draw a node that the plan touches, those that moves link it with, and some more with free room."""
        search = self._search
        tables, where = search.cast.tables, search.where
        moved = np.flatnonzero(tables.running & (where >= 0) & (where != tables.origin))
        touched = np.unique(np.concatenate([where[moved], tables.origin[moved]]))
        chosen = np.zeros(len(tables.room), dtype=np.bool_)
        if len(touched):
            chosen[self._random.choice(touched)] = True
        while True:
            links = chosen[where[moved]] | chosen[tables.origin[moved]]
            reached = np.unique(np.concatenate([where[moved[links]], tables.origin[moved[links]]]))
            new = reached[~chosen[reached]]
            room = (2 * count) // 3 - int(chosen.sum())
            if room <= 0 or not len(new):
                break
            chosen[self._random.permutation(new)[:room]] = True
        weights = np.where(chosen, 0.0, self._shares() + 1e-3)
        rest = min(count - int(chosen.sum()), int((weights > 0).sum()))
        if rest > 0:
            chosen[self._random.choice(len(weights), rest, replace=False, p=weights / weights.sum())] = True
        return np.flatnonzero(chosen)

    def _model(self, sites: Ints) -> Model:
        search = self._search
        waiting = np.flatnonzero((search.where < 0) & ~self._hopeless)
        if len(waiting) > _WAITING:
            running = search.cast.tables.running[waiting]
            chosen = self._random.choice(waiting[~running], min(_WAITING, int((~running).sum())), replace=False)
            waiting = np.concatenate([waiting[running], chosen])
        frame = around(search.cast, search.where, sites, waiting)
        return Model(frame, evict_for_count=search.options.evict_for_count)

    def _draw(self, weights: "np.ndarray[tuple[int], np.dtype[np.float64]]", count: int) -> Ints:
        some = min(count, len(weights))
        drawn: Ints = self._random.choice(len(weights), some, replace=False, p=weights / weights.sum())
        return drawn

    def _shares(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """Return how much of each node is free, all resources together."""
        tables, where = self._search.cast.tables, self._search.where
        free = tables.room.copy()
        placed = where >= 0
        np.subtract.at(free, where[placed], tables.requests[placed])
        return np.asarray((free * tables.scale).sum(axis=1).clip(min=0.0))
