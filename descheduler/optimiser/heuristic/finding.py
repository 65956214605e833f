"""Finds ways to place one pod with at most two others moved: nobody, one, one in the place of another, two of a node.

Everything is found, not only the first that works; where there is too much a sample is drawn. Ties are asked only for
the pod itself, the rest when a way is gone.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from descheduler.optimiser.heuristic.ejections import Movers
from descheduler.optimiser.heuristic.ends import Ends
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.ways import Steps, Ways, matching, weigh
from descheduler.optimiser.tables import NOWHERE, Bools, Ints

_PODS: Final = 8_000  # pods that might be moved
_LINKS: Final = 150  # pods that make room alone, of which some take the place of another one; half of them the smallest
_MANY: Final = 300  # ways of each kind
_PLACES: Final = 6  # places that are tried for the only pod that moves
_NEIGHBOURS: Final = 12  # pods of a node that may go together, in random order


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked: a pod, who may move at what cost, and at most how much in all."""

    pod: int
    candidates: Movers
    most: int


def find(state: State, ends: Ends, search: Search, random: np.random.Generator) -> Ways:
    """Return ways to place a pod without a place."""
    finder = _Finder(state, ends, search, random)
    return weigh(state.tables, state.where, search.pod, finder.steps())


def _allowed(state: State, pod: int) -> Bools:
    tables = state.tables
    allowed: Bools = tables.masks[tables.mask_of[pod]] & ~state.blocked(pod)
    if tables.origin[pod] >= 0:
        allowed[tables.origin[pod]] = True
    return allowed


class _Finder:
    """Looks for the ways of one pod as things stand."""

    def __init__(self, state: State, ends: Ends, search: Search, random: np.random.Generator) -> None:
        self._state, self._tables, self._ends, self._random = state, state.tables, ends, random
        self._asked: Ints = self._tables.requests[search.pod]
        self._ours = _allowed(state, search.pod)
        self._cost, self._most = search.candidates.cost, search.most
        pods = np.flatnonzero(search.candidates.allowed & (self._cost <= search.most))
        self._pods: Ints = pods if len(pods) <= _PODS else np.sort(random.choice(pods, _PODS, replace=False))
        self._room = state.free[state.where[self._pods]] + self._tables.requests[self._pods]
        self._movable = ends.elsewhere(self._pods)

    def steps(self) -> Steps:
        """Return everything that was found, one way a row."""
        free = np.flatnonzero(self._ours & (self._state.free >= self._asked).all(axis=1))
        found = [self._rows(self._sample(free))]
        alone = np.flatnonzero(self._ours[self._state.where[self._pods]] & (self._room >= self._asked).all(axis=1))
        found.append(self._one(self._pods[alone[self._movable[alone]]]))
        if len(free) < _PLACES:
            found += [*self._chains(alone), self._pairs()]
        rows = np.concatenate(found)
        rows = rows[((rows[:, 1::2] >= 0) == (rows[:, 2::2] >= 0)).all(axis=1)]
        return Steps(rows[:, 0], rows[:, 1::2], rows[:, 2::2])

    def _sample(self, index: Ints, most: int = _MANY) -> Ints:
        return index if len(index) <= most else self._random.choice(index, most, replace=False)

    @staticmethod
    def _rows(node: Ints, *moves: Ints) -> Ints:
        """Return node, who, where to, who, where to; what is not given is `NOWHERE`."""
        rows = np.full((len(node), 5), NOWHERE)
        rows[:, 0] = node
        for column, values in enumerate(moves):
            rows[:, column + 1] = values
        return rows

    def _one(self, pods: Ints) -> Ints:
        """One pod makes room and goes elsewhere."""
        pods = self._sample(np.repeat(pods, min(_PLACES, len(self._ends.nodes))))
        nodes = self._state.where[pods]
        return self._rows(nodes, pods, self._ends.draw(pods, (nodes,), self._random))

    def _chains(self, alone: Ints) -> tuple[Ints, ...]:
        """One pod makes room and takes the place of another one, which goes elsewhere or comes in its stead."""
        alone = self._some(alone)
        head, spare = self._pods[alone], self._room[alone] - self._asked
        at = self._replaceable(head, spare)
        links = self._links(head, at)
        return (
            self._exchanges(head, self._pods[at], links & self._comes_in_stead(head, spare, self._pods[at])),
            self._shifts(head, self._pods[at], links & self._movable[at]),
        )

    def _some(self, alone: Ints) -> Ints:
        """Return so many of those that make room alone that every pair can be looked at: the smallest, and others."""
        if len(alone) <= _LINKS:
            return alone
        half = _LINKS // 2
        alone = alone[np.argsort(self._state.size[self._pods[alone]], kind="stable")]
        return np.concatenate([alone[:half], self._random.choice(alone[half:], half, replace=False)])

    def _replaceable(self, head: Ints, spare: Ints) -> Ints:
        """Return the positions of pods that might go for one of the heads; nothing is sure yet of any single pair.

        They would fit elsewhere, or into the most that any head leaves, and their places are no smaller than the least
        that any head asks for.
        """
        requests = self._tables.requests
        goes = self._movable | (requests[self._pods] <= spare.max(axis=0, initial=0)).all(axis=1)
        return np.flatnonzero(goes & (self._room >= requests[head].min(axis=0, initial=0)).all(axis=1))

    def _links(self, head: Ints, at: Ints) -> Bools:
        """Return which head (by row) could take whose place (by column)."""
        tables, where, tail = self._tables, self._state.where, self._pods[at]
        links = matching(tables.requests[head], self._room[at])
        links &= tables.masks[tables.mask_of[head]][:, where[tail]]
        links &= where[head][:, None] != where[tail][None, :]
        links &= self._cost[head][:, None] + self._cost[tail][None, :] <= self._most
        return links

    def _comes_in_stead(self, head: Ints, spare: Ints, tail: Ints) -> Bools:
        """Return into what a head leaves (by row), beside the pod that is placed, which tail (by column) would fit."""
        tables = self._tables
        fits = matching(tables.requests[tail], spare)
        fits &= tables.masks[tables.mask_of[tail]][:, self._state.where[head]]
        return fits.T

    def _exchanges(self, head: Ints, tail: Ints, links: Bools) -> Ints:
        """Head and tail change places."""
        one, other = self._drawn(links)
        head, tail, where = head[one], tail[other], self._state.where
        return self._rows(where[head], head, where[tail], tail, where[head])

    def _shifts(self, head: Ints, tail: Ints, links: Bools) -> Ints:
        """The head takes the place of the tail, which goes to a third node."""
        one, other = self._drawn(links)
        head, tail, where = head[one], tail[other], self._state.where
        ends = self._ends.draw(tail, (where[tail], where[head]), self._random)
        return self._rows(where[head], head, where[tail], tail, ends)

    def _drawn(self, links: Bools) -> tuple[Ints, Ints]:
        one, other = np.nonzero(links)
        chosen = self._sample(np.arange(len(one)))
        return one[chosen], other[chosen]

    def _pairs(self) -> Ints:
        """Two pods of a node make room together, and each goes elsewhere."""
        where, requests = self._state.where, self._tables.requests
        pods = self._pods[self._movable & self._ours[where[self._pods]]]
        pods = pods[np.lexsort((self._random.random(len(pods)), where[pods]))]
        nodes = where[pods]
        missing = self._asked - self._state.free[nodes]
        firsts, seconds = [pods[:0]], [pods[:0]]
        for step in range(1, _NEIGHBOURS):
            one = np.flatnonzero(nodes[:-step] == nodes[step:])
            if not len(one):
                break
            enough = (requests[pods[one]] + requests[pods[one + step]] >= missing[one]).all(axis=1)
            firsts.append(pods[one[enough]])
            seconds.append(pods[one[enough] + step])
        first, second = np.concatenate(firsts), np.concatenate(seconds)
        chosen = self._sample(np.flatnonzero(self._cost[first] + self._cost[second] <= self._most))
        return self._both(first[chosen], second[chosen])

    def _both(self, first: Ints, second: Ints) -> Ints:
        nodes = self._state.where[first]
        one = self._ends.draw(first, (nodes,), self._random)
        other = self._ends.draw(second, (nodes, one), self._random)
        same = self._ends.draw(second, (nodes,), self._random)
        return self._rows(nodes, first, one, second, np.where(other >= 0, other, same))
