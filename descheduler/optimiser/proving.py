"""Proof, and the better plans found on the way to it: every number of the vector in its order, on the whole model.

A number is proven least where no plan that equals the incumbent in all numbers before it has less of it, at no more
than the price a unit. Nothing else is held, so less important tiers may lose pods here: that is preemption. Source:
docs/design/optimiser.md, section 5.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from descheduler.optimiser.engine import Outcome, Status
from descheduler.optimiser.ladder import Known
from descheduler.optimiser.limits import Limit, price
from descheduler.optimiser.model.assembling import Model, total
from descheduler.optimiser.model.draft import Sum
from descheduler.optimiser.search import Search

_LOSS: Final = 8  # disruptions that one pod without a place counts for, where pods are lost for a better tier


@dataclass(frozen=True, slots=True)
class _Number:
    """One number of the vector: a sum of the model. `weight`: it counts disruptions."""

    total: Sum
    tier: int
    weight: bool = False


class Prover:
    """Goes through the vector of one exact model of the whole problem."""

    def __init__(self, search: Search, model: Model, known: Known) -> None:
        self._search, self._model, self._known = search, model, known
        self._numbers = _numbers(search, model)
        self._claims: dict[int, int] = {}

    def prove(self, until: float) -> bool:
        """Improve the incumbent until it is proven best; return whether it was, before the time was reached."""
        at = 0
        while at < len(self._numbers):
            if self._evident(at) or self._claimed(at):
                at += 1
                continue
            before = self._search.key(self._search.score)
            outcome = self._lower(at, max(0.0, until - self._search.clock.used()))
            after = self._search.key(self._search.score)
            if after != before:
                # Whatever came before the first number that changed is as it was.
                first = next(
                    number for number, pair in enumerate(zip(before, after, strict=True)) if len(set(pair)) > 1
                )
                self._claims = {number: held for number, held in self._claims.items() if number < first}
            if outcome.status is (Status.OPTIMAL if self._numbers[at].weight else Status.INFEASIBLE):
                self._claims[at] = self._search.score.weight
            elif after == before:
                return False
            at = 0
        return True

    def _lower(self, at: int, most: float) -> Outcome:
        """Look for a plan with less of one number and no more of those before it."""
        search, number = self._search, self._numbers[at]
        values = search.key(search.score)
        limits: list[Limit] = [(self._numbers[before].total, values[before]) for before in range(at)]
        if number.weight:
            return search.attempt(self._model, limits, number.total, most=most)
        limits.append((number.total, values[at] - 1))
        limits += price(search, self._model, number.total, values[at])
        return search.attempt(self._model, limits, self._losses(number.tier), most=most)

    def _losses(self, tier: int) -> Sum:
        """Return what a gain of a tier costs: pods of the tiers below without a place, and disruptions."""
        weights = total(self._model.weights)
        for lost in (*self._model.evicted[tier:], *self._model.unplaced[tier + 1 :]):
            weights = weights.plus(lost, _LOSS)
        return weights

    def _evident(self, at: int) -> bool:
        """Whether a number cannot be less by the bounds alone."""
        score, number = self._search.score, self._numbers[at]
        if self._search.key(score)[at] == 0:
            return True
        if number.weight and self._known.weight is not None and not any(score.evicted):
            return score.unplaced == self._known.beside and sum(score.weights) <= self._known.weight
        reached = np.cumsum(score.unplaced).tolist()
        return (
            not number.weight
            and number.total is self._model.unplaced[number.tier]
            and (reached[number.tier] <= self._known.least[number.tier])
        )

    def _claimed(self, at: int) -> bool:
        """Whether a number was proven; a proof with a price holds as long as the incumbent costs no more than then."""
        if at not in self._claims:
            return False
        return self._search.options.price is None or self._search.score.weight <= self._claims[at]


def _numbers(search: Search, model: Model) -> list[_Number]:
    """Return the vector's numbers in its order."""
    frozen = search.options.order == "frozen"
    numbers: list[_Number] = []
    for tier, unplaced in enumerate(model.unplaced):
        if not search.options.evict_for_count:
            numbers.append(_Number(model.evicted[tier], tier))
        numbers.append(_Number(unplaced, tier))
        if frozen:
            numbers.append(_Number(model.weights[tier], tier, weight=True))
    if not frozen:
        numbers.append(_Number(total(model.weights), len(model.unplaced) - 1, weight=True))
    return numbers
