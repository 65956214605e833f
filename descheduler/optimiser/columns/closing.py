"""The last step to the fewest disruptions: bound, contents that a better plan could have, and the best choice of them.

Source: docs/design/optimiser.md, section on columns.
"""

import math
from typing import Final

import numpy as np

from descheduler.optimiser.columns.choosing import Choice
from descheduler.optimiser.columns.fillings import Asked, Effort, fillings
from descheduler.optimiser.columns.generating import Bound, Generator
from descheduler.optimiser.columns.loads import load
from descheduler.optimiser.columns.master import Allowance
from descheduler.optimiser.engine import Status
from descheduler.optimiser.model.frame import Frame
from descheduler.optimiser.search import Search

_ROUND: Final = 0.02  # what a round of generation counts in deterministic mode
_GAPS: Final = (0.3, 1.0, math.inf)  # how much worth a node's content may lack of the best, step by step
_KEPT: Final = Effort(4_000)
_SLACK: Final = 1e-5  # what sums of rounded numbers may hide


class Closer:
    """Closes the gap between the incumbent's disruptions and their bound, all other numbers of the plan held."""

    def __init__(self, search: Search, frame: Frame) -> None:
        self._search, self._frame, self._until = search, frame, 0.0
        tables, classes = frame.cast.tables, frame.cast.classes
        self._loads = load(frame)
        self._allowance = Allowance(
            tier=tables.tier[frame.sample],
            pending=(classes.size - classes.run)[frame.kinds],
            unplaced=search.score.unplaced,
        )
        self._generator = Generator(self._loads, self._allowance)
        self._closed = False

    @property
    def bound(self) -> int:
        """The fewest disruptions, in weight, of a plan with the incumbent's other numbers."""
        best = self._generator.best
        if self._closed:
            return self._search.score.weight
        return 0 if best is None else max(0, math.ceil(best.cost - _SLACK))

    @property
    def proven(self) -> bool:
        """Whether the incumbent has no more than that."""
        return self._search.score.weight <= self.bound

    def generate(self, until: float) -> None:
        """Raise the bound as far as it goes, or until the incumbent is proven."""
        self._until = until
        for where in (self._frame.cast.tables.origin, self._search.where):
            self._know(where)
        self._generator.run(enough=self._enough, over=self._over)

    def choose(self, until: float) -> None:
        """Look for a better plan among the contents near the bound, further and further away from it."""
        self._until = until
        for gap in _GAPS:
            best = self._generator.best
            if best is None or self.proven or self._over():
                return
            needed = self._search.score.weight - 1 - best.cost + _SLACK
            if self._try(best, min(gap, needed)) and gap >= needed:
                self._closed = True
                return

    def _try(self, best: Bound, gap: float) -> bool:
        """Look among all contents that lack no more than the gap; return whether nothing among them is left to find."""
        loads, search = self._loads, self._search
        asked = Asked(values=loads.values(best.prices), worth=best.worth, floor=best.tops - gap)
        found = fillings(loads, asked, _KEPT, over=self._over)
        whole = bool(found.complete.all())
        if len(np.unique(found.node)) < loads.nodes:
            return whole  # a node has none: no plan is so near to the bound
        choice = Choice(self._frame, loads, self._allowance, found)
        limits = [(choice.cost, search.score.weight - 1)]
        outcome = search.attempt(choice, limits, choice.cost, most=self._until - search.clock.used())
        return whole and outcome.status in {Status.OPTIMAL, Status.INFEASIBLE}

    def _know(self, where: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> None:
        counts = np.zeros_like(self._loads.own)
        position = np.full(len(self._frame.cast.classes), -1)
        position[self._frame.kinds] = np.arange(len(self._frame.kinds))
        placed = where >= 0
        np.add.at(counts, (where[placed], position[self._frame.cast.classes.of[placed]]), 1)
        for node in range(self._loads.nodes):
            self._generator.master.add(node, counts[node])

    def _enough(self) -> bool:
        self._search.clock.charge(_ROUND)
        return self.proven

    def _over(self) -> bool:
        clock = self._search.clock
        return clock.over() or clock.used() >= self._until
