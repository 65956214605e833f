"""Column generation: prices from the mix, contents for these prices, and a bound of the cost; ends when both meet."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from descheduler.optimiser.columns.fillings import Asked, Effort, Fillings, fillings
from descheduler.optimiser.columns.loads import Floats, Loads
from descheduler.optimiser.columns.master import Allowance, Master, Mix
from descheduler.optimiser.columns.multipliers import multipliers

_SMOOTH: Final = 0.4  # of the prices with the best bound in those that are asked for next
_EACH: Final = 4  # contents that a node may add in one round
_SMALL: Final = 1e-6
_ERROR: Final = 1e-12  # of what is summed up: what its rounding may hide where weights are huge
_MET: Final = 1e-4  # a difference of mix and bound that is none
# Few contents are enough while prices are far from settled; a bound that is near needs more of them.
_EFFORTS: Final = (Effort(30, 0.25), Effort(150, 0.7), Effort(1_000), Effort(4_000))
_AGAIN: Final = 1  # the most effort to begin with again when the makeshift places cost more


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """No plan within the allowance costs less than `cost`: shown with these prices and multipliers.

    `tops` is what no content of a node exceeds in worth.
    """

    cost: float
    prices: Floats
    worth: Floats
    tops: Floats


class Generator:
    """Brings the bound and the mix together."""

    def __init__(self, loads: Loads, allowance: Allowance) -> None:
        self._loads, self._allowance = loads, allowance
        self.master = Master(loads, allowance)
        self._worth = np.zeros_like(loads.left)
        self._saved = (loads.own @ loads.weight).astype(np.float64)
        self._level = 0
        self.best: Bound | None = None

    def run(self, *, enough: Callable[[], bool], over: Callable[[], bool]) -> None:
        """Raise the bound until it cannot be better or is enough, which is asked before each round, or it is over."""
        while not enough() and not over():
            mix = self.master.solve()
            if mix is None:
                return
            added = any(self._round(prices, mix, over=over) for prices in (self._smoothed(mix), mix.prices))
            met = self.best is not None and mix.cost - self.best.cost < _MET
            if (met or not added) and not self._harder(mix, met=met):
                return

    def _harder(self, mix: Mix, *, met: bool) -> bool:
        """Go on with more effort or dearer makeshift places; return whether there is anything left to do."""
        if not met and self._level < (len(_EFFORTS) - 1 if mix.whole else _AGAIN):
            self._level += 1
            return True
        self.master.raise_limits(mix)
        self._level = min(self._level, _AGAIN)
        return not mix.whole

    def _smoothed(self, mix: Mix) -> Floats:
        if self.best is None:
            return mix.prices
        return np.asarray(_SMOOTH * self.best.prices + (1 - _SMOOTH) * mix.prices)

    def _round(self, prices: Floats, mix: Mix, *, over: Callable[[], bool]) -> bool:
        """Ask every node for its best contents at some prices; return whether any of them improves the mix."""
        values = self._loads.values(prices)
        self._worth = multipliers(self._loads, values, self._worth)
        asked = Asked(values=values, worth=self._worth, floor=self.master.worth(prices))
        found = fillings(self._loads, asked, _EFFORTS[self._level], over=over)
        cost = self._cost(prices, found.bound)
        if self.best is None or cost > self.best.cost:
            self.best = Bound(cost=cost, prices=prices, worth=self._worth, tops=found.bound)
        return self._add(found, mix)

    def _cost(self, prices: Floats, tops: Floats) -> float:
        """Return the Lagrangian bound: what all pods pay, less what each node could make of it at best."""
        allowance, loads = self._allowance, self._loads
        paid, best = float(prices @ loads.size), float((self._saved - tops).sum())
        cost = paid + best - _ERROR * (paid + float(np.abs(tops).sum()))
        for tier, unplaced in enumerate(allowance.unplaced):
            kinds = np.flatnonzero(allowance.tier == tier)
            dearest = np.sort(np.repeat(prices[kinds], allowance.pending[kinds]))[::-1]
            cost -= float(dearest[:unplaced].sum())
        return cost

    def _add(self, found: Fillings, mix: Mix) -> bool:
        reduced = self._loads.disturbed(found.node, found.counts) - found.counts @ mix.prices - mix.nodes[found.node]
        taken = np.zeros(self._loads.nodes, dtype=np.int64)
        for at in np.lexsort((reduced, found.node)).tolist():
            node = int(found.node[at])
            if reduced[at] < -_SMALL and taken[node] < _EACH:
                taken[node] += self.master.add(node, found.counts[at])
        return bool(taken.any())
