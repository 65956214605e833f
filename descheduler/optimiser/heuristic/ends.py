"""Nodes where pods that are moved could end, by class, for all nodes at once; moves nobody, asks no tie."""

from typing import Final

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.ways import matching
from descheduler.optimiser.tables import NOWHERE, Bools, Ints

_ALL: Final = 2**60
_ENDS: Final = 512  # nodes with room, roomiest first


class Ends:
    """Where pods would fit as things stand, by class; of no use once anything has changed."""

    def __init__(self, state: State, classes: Classes, pods: Ints) -> None:
        tables = state.tables
        kinds = np.unique(classes.of[pods])
        self._row = np.full(len(classes), NOWHERE)
        self._row[kinds] = np.arange(len(kinds))
        self._of, self._where = classes.of, state.where
        asked = tables.requests[classes.sample[kinds]]
        nodes = np.flatnonzero((state.free >= asked.min(axis=0, initial=_ALL)).all(axis=1))
        room = (state.free[nodes] * tables.scale).sum(axis=1)
        self.nodes: Ints = nodes[np.argsort(-room, kind="stable")[:_ENDS]]
        self._fits = tables.masks[tables.mask_of[classes.sample[kinds]]][:, self.nodes]
        self._fits &= matching(asked, state.free[self.nodes])
        self._count = self._fits.sum(axis=1)
        self._at = np.full(len(state.free) + 1, NOWHERE)  # the last entry stands for nowhere
        self._at[self.nodes] = np.arange(len(self.nodes))

    def elsewhere(self, pods: Ints) -> Bools:
        """Return which pods would fit on a node other than their own."""
        if not len(self.nodes):
            return np.zeros(len(pods), dtype=np.bool_)
        kinds, at = self._row[self._of[pods]], self._at[self._where[pods]]
        here = self._fits[kinds, at] & (at >= 0)
        found: Bools = self._count[kinds] > here
        return found

    def draw(self, pods: Ints, but: tuple[Ints, ...], random: np.random.Generator) -> Ints:
        """Return a node for each pod where it fits, other than those given; `NOWHERE` if there is none."""
        if not len(self.nodes) or not len(pods):
            return np.full(len(pods), NOWHERE)
        chance = random.random((len(pods), len(self.nodes))) * self._fits[self._row[self._of[pods]]]
        for banned in but:
            known = np.flatnonzero(self._at[banned] >= 0)
            chance[known, self._at[banned[known]]] = 0.0
        best = chance.argmax(axis=1)
        return np.where(chance[np.arange(len(pods)), best] > 0, self.nodes[best], NOWHERE)
