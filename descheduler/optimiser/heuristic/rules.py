"""What a search over a whole plan has to keep to, and how it makes room for one pod; holds no plan itself."""

from dataclasses import dataclass

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.heuristic.draining import drain
from descheduler.optimiser.heuristic.ejections import Movers, eject_chain, eject_one, eject_two, movers
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Classes of pods, what is allowed, pods that fit nowhere, and where random numbers come from."""

    classes: Classes
    options: Options
    hopeless: Bools
    random: np.random.Generator

    @property
    def price(self) -> int:
        """What one more pod may cost; without a price as much as there is."""
        return len(self.hopeless) if self.options.price is None else self.options.price

    def movers(self, state: State, pod: int, most: int) -> Movers:
        """Return who may make room for a pod without costing more than so much alone."""
        found = movers(state, pod, frozen=self.options.order == "frozen")
        found.allowed[found.cost > most] = False
        return found

    def place(self, state: State, pod: int, most: int, among: Bools | None = None) -> bool:
        """Place a pod by the cheapest way that works; nobody moves from nodes other than those `among`."""
        if state.settle(pod):
            return True
        candidates = self.movers(state, pod, most)
        if among is not None:
            candidates.allowed[:] &= among[state.where]
        return make_room(state, self.classes, pod, candidates, price=most)


def make_room(state: State, classes: Classes, pod: int, candidates: Movers, *, price: int) -> bool:
    """Place a pod where others make room for it: one, one and a second in turn, two of a node, then what is dearer."""
    if eject_one(state, classes, pod, candidates):
        return True
    return price > 1 and (
        eject_chain(state, classes, pod, candidates)
        or eject_two(state, classes, pod, candidates)
        or drain(state, pod, candidates, price=price)
    )


def disturbed(state: State) -> int:
    """Return the weight of the running pods that are not where they ran."""
    tables = state.tables
    return int(tables.weight[tables.running & (state.where != tables.origin)].sum())
