"""The last step to the fewest disruptions: bound, contents that a better plan could have, and the best choice of them.

Source: docs/design/optimiser.md, section 5.
"""

import math
from typing import Final

import numpy as np

from descheduler.optimiser.columns.choosing import Choice
from descheduler.optimiser.columns.fillings import Asked, Effort, Fillings, fillings
from descheduler.optimiser.columns.generating import Bound, Generator
from descheduler.optimiser.columns.loads import load
from descheduler.optimiser.columns.master import Allowance
from descheduler.optimiser.engine import Status
from descheduler.optimiser.model.frame import Frame
from descheduler.optimiser.search import Search
from descheduler.optimiser.tables import Ints

_ROUND: Final = 0.02  # what a round of generation counts in deterministic mode
_CHOICES: Final = 20_000  # contents that a model of the choice is built of at most: that takes half a second
_GUESSED: Final = 6_000  # contents for a guess: of 20,000 CP-SAT found no plan in seconds where it did of these
_GUESS: Final = 0.5  # of the time that is left
_KEPT: Final = 128_000  # contents that are built side by side at most: a step with them takes a twentieth of a second
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
        self._least = 0

    @property
    def bound(self) -> int:
        """The fewest disruptions, in weight, of a plan with the incumbent's other numbers."""
        best = self._generator.best
        return max(self._least, 0 if best is None else math.ceil(best.cost - _SLACK))

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
        """Ask for a plan that costs no more than the bound, then for one that costs one more, and so on.

        A plan's contents lack together what it costs beyond the bound of the prices: each step has to look at few.
        """
        self._until = until
        best = self._generator.best
        for cost in range(self.bound, self._search.score.weight):
            if best is None or self._over() or not self._none_for(cost, best):
                return
            self._least = cost + 1

    def _none_for(self, cost: int, best: Bound) -> bool:
        """Look for a plan for so much at most; return whether there certainly is none."""
        loads = self._loads
        floor = best.tops - (cost - best.cost + _SLACK)
        asked = Asked(values=loads.values(best.prices), worth=best.worth, floor=floor)
        found = fillings(loads, asked, Effort(_KEPT // loads.nodes), over=self._over)
        complete = bool(found.complete.all())
        if complete and len(np.unique(found.node)) < loads.nodes:
            return True  # a node has none: no plan is so near to the bound
        if not complete or len(found.node) > _CHOICES:
            self._guess(found, best)
            return False
        return self._choice(found, cost, most=self._left()) is Status.INFEASIBLE

    def _guess(self, found: Fillings, best: Bound) -> None:
        """Look for any better plan among the contents that lack least; to find none proves nothing."""
        lack = best.tops[found.node] - found.value
        nearest = found.some(np.argsort(lack, kind="stable")[:_GUESSED])
        self._choice(nearest, self._search.score.weight - 1, most=self._left() * _GUESS)

    def _choice(self, found: Fillings, cost: int, *, most: float) -> Status:
        """Let CP-SAT choose one content a node for so much at most."""
        choice = Choice(self._frame, self._loads, self._allowance, found)
        return self._search.attempt(choice, [(choice.cost, cost)], choice.cost, most=most, alone=True).status

    def _left(self) -> float:
        return self._until - self._search.clock.used()

    def _know(self, where: Ints) -> None:
        """Let the mix begin with what each node holds in a plan."""
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
