"""Small clusters: a few pods that came to a node are taken back, whoever can goes home, and the rest is placed anew.

There everything hangs together after a few moves, and looking for all ways of a pod takes less than a millisecond.
"""

from typing import Final

import numpy as np

from descheduler.optimiser.heuristic.ends import Ends
from descheduler.optimiser.heuristic.finding import Search, find
from descheduler.optimiser.heuristic.rules import Rules, disturbed
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.tables import NOWHERE, Bools, Ints

_SOME: Final = 5  # pods that are taken back together, at most
_MOVED: Final = 2  # pods that a way moves
_NEAR: Final = 64  # nodes among which a way is looked for, where there are more than twice as many
_TRIES: Final = 4  # ways of one cost that are tried, where ties may forbid some


class Parts:
    """Makes trials on one state."""

    def __init__(self, state: State, rules: Rules) -> None:
        self._state, self._rules, self._random = state, rules, rules.random

    def attempt(self) -> bool:
        """Take some pods back and place them again for no more than before; whoever asked undoes what failed."""
        state = self._state
        guests = np.flatnonzero((state.where >= 0) & (state.where != state.tables.origin))
        if not len(guests):
            return False
        most = disturbed(state)
        lifted = self._chosen(guests)
        for pod in lifted:
            state.move(pod, NOWHERE)
        self._go_home(guests[state.tables.running[guests]])
        return all(
            state.where[pod] >= 0 or self._place(pod, most - disturbed(state))
            for pod in self._random.permutation(lifted).tolist()
        )

    def _chosen(self, guests: Ints) -> list[int]:
        """Return a few pods: one, others of the node it came to or went from, then any."""
        where, origin = self._state.where, self._state.tables.origin
        first = int(self._random.choice(guests))
        node = where[first] if origin[first] < 0 or self._random.random() < 0.5 else origin[first]  # noqa: PLR2004  # even odds
        here = (where[guests] == node) | (origin[guests] == node)
        drawn = self._random.permutation(len(guests))
        ranked = guests[drawn[np.argsort(~here[drawn], kind="stable")]]
        count = int(self._random.integers(1, _SOME + 1))
        return [first, *ranked[ranked != first][: count - 1].tolist()]

    def _go_home(self, pods: Ints) -> None:
        """Let moved pods return in random order as long as there is room for one."""
        state, tables = self._state, self._state.tables
        home, returned = tables.origin[pods], True
        while returned:
            fits = (state.free[home] >= tables.requests[pods]).all(axis=1) & (state.where[pods] != home)
            returned = any([state.send_home(pod) for pod in self._random.permutation(pods[fits]).tolist()])  # noqa: C419  # all of them

    def _place(self, pod: int, budget: int) -> bool:
        """Place a pod by one of the cheapest ways within a budget, drawn among equals."""
        if budget < 0:
            return False
        state = self._state
        most = min(budget, _MOVED * int(state.tables.weight.max(initial=1)))
        candidates = self._rules.movers(state, pod, most)
        if len(state.free) > 2 * _NEAR:
            candidates.allowed[:] &= self._near(pod)[state.where]
        ends = Ends(state, self._rules.classes, np.flatnonzero(candidates.allowed))
        ways = find(state, ends, Search(pod, candidates, most), self._random)
        for _ in range(_TRIES):
            row = ways.draw(state, budget, self._random)
            if row is None:
                return False
            if ways.go(state, pod, row):
                return True
        return False

    def _near(self, pod: int) -> Bools:
        """Draw nodes that miss little for a pod, and roomy ones; the last entry stands for nowhere."""
        free, tables = self._state.free, self._state.tables
        near = np.zeros(len(free) + 1, dtype=np.bool_)
        missing = (np.maximum(tables.requests[pod] - free, 0) * tables.scale).sum(axis=1)
        least = np.argpartition(missing, 2 * _NEAR - 1)[: 2 * _NEAR]
        near[self._random.choice(least, _NEAR // 2, replace=False)] = True
        chance = (free * tables.scale).sum(axis=1).clip(min=0.0) + 1e-3
        near[self._random.choice(len(free), _NEAR // 2, replace=False, p=chance / chance.sum())] = True
        return near
