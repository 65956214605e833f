"""Large clusters: everything that hangs together with a few pods is taken back, and placed by ways that are remembered.

Who was moved for a pod links nodes, and there the plan falls into many small pieces. A piece that is taken back leaves
everybody of it at home, so that a way found once can be gone again, which is hundreds of times as fast as to find it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from descheduler.optimiser.heuristic.ends import Ends
from descheduler.optimiser.heuristic.finding import Search, find
from descheduler.optimiser.heuristic.rules import Rules, disturbed
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.ways import Ways, join, learned
from descheduler.optimiser.tables import NOWHERE, Bools, Ints

_FEW: Final = 4  # pods that are chosen together, at most
_LINKED: Final = 8  # pods taken back together, at most
_MOVED: Final = 2  # pods that a way found in advance moves
_LONGEST: Final = 4  # pods moved by a way that is remembered
_AIMED: Final = 0.5  # how often a trial begins with a way that others are in
_SEARCHED: Final = 0.1  # how often a search over some nodes follows where no way is known
_NEAR: Final = 64  # nodes of such a search


@dataclass(frozen=True, slots=True)
class _Piece:
    """Nodes that hang together, the pods that came to them, and the pods that were moved on or off them."""

    nodes: Bools
    guests: Ints
    moved: Ints


class Components:
    """Makes trials on one state; remembers ways by class."""

    def __init__(self, state: State, rules: Rules) -> None:
        self._state, self._rules, self._random = state, rules, rules.random
        self._known: dict[int, Ways] = {}
        self._ends: Ends | None = None

    def attempt(self) -> bool:
        """Take some pods back and place them again for no more than before; whoever asked undoes what failed."""
        plan = self._plan()
        if not len(plan.guests):
            return False
        most, where = disturbed(self._state), self._state.where
        aim = self._aim(plan) if self._random.random() < _AIMED else None
        chosen = aim[2] if aim else where[self._random.choice(plan.guests, self._random.integers(1, _FEW + 1))]
        piece = self._piece(plan, chosen)
        if len(piece.guests) > _LINKED or not len(piece.moved):
            return False
        self._take_back(piece)
        left = self._random.permutation(piece.guests).tolist()
        if aim and self._go(aim[0], aim[1]):
            left.remove(aim[0])
        return self._again(left, piece, most)

    def _plan(self) -> _Piece:
        """Return the whole plan: whoever has a place and ran nowhere, and whoever runs elsewhere than he did."""
        where, tables = self._state.where, self._state.tables
        placed = where >= 0
        guests = np.flatnonzero(placed & ~tables.running)
        moved = np.flatnonzero(placed & tables.running & (where != tables.origin))
        return _Piece(np.ones(len(self._state.free), dtype=np.bool_), guests, moved)

    def _aim(self, plan: _Piece) -> tuple[int, int, Ints] | None:
        """Return a pod, a cheaper way for it, and the nodes of that way and of whoever is in it."""
        state, tables = self._state, self._state.tables
        pod = int(self._random.choice(plan.guests))
        own = self._piece(plan, state.where[[pod]])
        ways = self._ways(pod)
        cheaper = int(np.searchsorted(ways.cost, tables.weight[own.moved].sum()))
        if not cheaper:
            return None
        row = int(self._random.integers(cheaper))
        movers = ways.who[row][ways.who[row] >= 0]
        used = np.concatenate([state.where[[pod]], ways.touched[row], tables.origin[movers], state.where[movers]])
        return pod, row, used[used >= 0]

    def _piece(self, plan: _Piece, nodes: Ints) -> _Piece:
        """Return everything of the plan that hangs together with some nodes."""
        state, moved, guests = self._state, plan.moved, plan.guests
        here, home = state.where[moved], state.tables.origin[moved]
        reached = np.zeros(len(state.free), dtype=np.bool_)
        reached[nodes] = True
        links, before = reached[here] | reached[home], -1
        while (count := int(links.sum())) != before:
            reached[here[links]] = True
            reached[home[links]] = True
            links, before = reached[here] | reached[home], count
        return _Piece(reached, guests[reached[state.where[guests]]], moved[links])

    def _take_back(self, piece: _Piece) -> None:
        for pod in (*piece.guests.tolist(), *piece.moved.tolist()):
            self._state.move(pod, NOWHERE)
        for pod in piece.moved.tolist():
            self._state.move(pod, int(self._state.tables.origin[pod]))

    def _go(self, pod: int, row: int) -> bool:
        """Go a way that only those in it kept from being gone."""
        ways = self._ways(pod)
        return bool(len(ways.possible(self._state, np.array([row])))) and ways.go(self._state, pod, row)

    def _again(self, pods: list[int], piece: _Piece, most: int) -> bool:
        """Place pods by ways that are known; now and then what these lack by a search."""
        lacking = self._by_known_ways(pods, most - disturbed(self._state))
        if not lacking:
            return True
        if self._random.random() >= _SEARCHED:
            return False
        among = self._near(piece)
        return all(self._search(pod, most - disturbed(self._state), among) for pod in lacking)

    def _by_known_ways(self, pods: list[int], budget: int) -> list[int]:
        """Place pods, those first that cost least; return those for which no way within the budget is known."""
        drawn = [(self._ways(pod).draw(self._state, budget, self._random), pod) for pod in pods]
        lacking = [pod for row, pod in drawn if row is None]
        known = [(int(self._ways(pod).cost[row]), row, pod) for row, pod in drawn if row is not None]
        for _, row, pod in sorted(known, key=lambda entry: entry[0]):
            cost = self._first(pod, row, budget)
            if cost is None:
                lacking.append(pod)
            else:
                budget -= cost
        return lacking

    def _first(self, pod: int, row: int, budget: int) -> int | None:
        """Go this way, or where that is no longer possible another one; return what it costs."""
        ways = self._ways(pod)
        if ways.cost[row] > budget or not len(ways.possible(self._state, np.array([row]))):
            again = ways.draw(self._state, budget, self._random)
            if again is None:
                return None
            row = again
        return int(ways.cost[row]) if ways.go(self._state, pod, row) else None

    def _search(self, pod: int, budget: int, among: Bools) -> bool:
        """Make room for a pod on some nodes, and remember how."""
        state, mark, where = self._state, self._state.mark(), self._state.where.copy()
        if budget < 0 or not self._rules.place(state, pod, budget, among):
            return False
        way = learned(state.tables, where, pod, state.changed(mark))
        if way.who.shape[1] <= _LONGEST:
            kind = int(self._rules.classes.of[pod])
            self._known[kind] = join(self._known[kind], way)
        return True

    def _near(self, piece: _Piece) -> Bools:
        """Return the nodes of a piece and some others, roomy ones sooner; the last entry stands for nowhere."""
        tables = self._state.tables
        chance = (self._state.free * tables.scale).sum(axis=1).clip(min=0.0) + 1e-3
        count = min(_NEAR, len(chance))
        near = np.append(piece.nodes, False)  # an entry of the array, no switch
        near[self._random.choice(len(chance), count, replace=False, p=chance / chance.sum())] = True
        return near

    def _ways(self, pod: int) -> Ways:
        """Return the ways of a pod's class; at first those from where everybody is at home."""
        kind = int(self._rules.classes.of[pod])
        if kind not in self._known:
            self._known[kind] = self._found(pod)
        return self._known[kind]

    def _found(self, pod: int) -> Ways:
        state, mark = self._state, self._state.mark()
        self._take_back(self._plan())
        if self._ends is None:
            self._ends = Ends(state, self._rules.classes, np.flatnonzero(state.where >= 0))
        most = min(_MOVED * int(state.tables.weight.max(initial=1)), self._rules.price)
        search = Search(pod, self._rules.movers(state, pod, most), most)
        ways = find(state, self._ends, search, self._random)
        state.undo(mark)
        return ways
