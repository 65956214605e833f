"""Takes a part of a plan back and makes it anew in another order, again and again; keeps what is no worse.

The first plan places one pod after the other, and the early ones take the roomy nodes that later ones needed more. A
trial takes back a few pods and what was moved for them, and places them in a random order by the cheapest ways there
are. Nobody loses a place by it. Source: docs/design/optimiser.md, section 5.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from descheduler.optimiser.heuristic.components import Components
from descheduler.optimiser.heuristic.filling import waiting
from descheduler.optimiser.heuristic.parts import Parts
from descheduler.optimiser.heuristic.rules import Rules, disturbed
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.scores import ordering, score
from descheduler.optimiser.tables import Ints

_LARGE: Final = 200  # nodes from which what was moved for one pod is seldom linked with what was moved for another one
_PARTS: Final = 0.05  # trials of a large cluster that are made as in a small one, for variety
_PAUSE: Final = 16  # trials before the first attempt to place one more
_IDLE: Final = 3_000  # trials in a row that gain nothing, after which no more are made


def rework(state: State, rules: Rules, *, over: Callable[[], bool], better: Callable[[], object]) -> None:
    """Improve a plan until `over`, which is asked before each trial; `better` is called after each that gained."""
    reworker = _Reworker(state, rules)
    idle = 0
    while idle < _IDLE and reworker.useful() and not over():
        idle += 1
        if reworker.attempt():
            idle = 0
            better()


class _Reworker:
    """Makes trials, and undoes those that end worse."""

    def __init__(self, state: State, rules: Rules) -> None:
        self._state, self._rules = state, rules
        self._parts = Parts(state, rules)
        self._components = Components(state, rules) if len(state.free) > _LARGE else None
        self._key = ordering(rules.options)
        self._held = self._key(score(state.tables, state.where))
        self._pause = self._until = _PAUSE

    def useful(self) -> bool:
        """Whether anything could be better."""
        return disturbed(self._state) > 0 or bool(len(self._waiting()))

    def attempt(self) -> bool:
        """Make one trial, or try to place one more; return whether the plan is better."""
        state = self._state
        mark = state.mark()
        done = self._one_more() if self._due() else self._again()
        if done and state.changed(mark) and state.holds(mark):
            found = self._key(score(state.tables, state.where))
            if found <= self._held:
                better, self._held = found < self._held, found
                return better
        state.undo(mark)
        return False

    def _again(self) -> bool:
        """Make a part of the plan anew, in the way that suits the cluster."""
        if self._components is None or self._rules.random.random() < _PARTS:
            return self._parts.attempt()
        return self._components.attempt()

    def _due(self) -> bool:
        """Whether it is time to try to place one more: each time in vain the pause doubles, as that takes long."""
        self._until -= 1
        if self._until > 0:
            return False
        self._pause = self._until = 2 * self._pause
        return True

    def _one_more(self) -> bool:
        """Place one more pod for no more than the price."""
        pods = self._waiting()
        if not len(pods):
            return False
        pod = int(self._rules.random.choice(pods))
        return self._rules.place(self._state, pod, self._rules.price)

    def _waiting(self) -> Ints:
        return np.array(waiting(self._state, self._rules.hopeless), dtype=np.int64)
