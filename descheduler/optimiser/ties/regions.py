"""Nodes by topology domain, made once for all constraints over one key; knows no constraint."""

from collections.abc import Callable, Collection, Hashable
from typing import Final, Generic, TypeVar

import numpy as np

from descheduler.optimiser.problem import Domains
from descheduler.optimiser.tables import Bools, Ints
from descheduler.optimiser.ties.tie import Nodes

NAMELESS: Final = -1
"""The domain of the nodes without the key."""

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")
_FEW: Final = 16  # domains up to which their nodes are told one by one; arbitrary, both ways say the same
_NONE: Final[Ints] = np.zeros(0, dtype=np.int64)


class Regions:
    """The nodes of each domain of one key; `of` is the domain of each node."""

    def __init__(self, domains: Domains) -> None:
        self.of = tuple(max(domain, NAMELESS) for domain in domains)
        found: dict[int, list[int]] = {}
        for node, domain in enumerate(self.of):
            found.setdefault(domain, []).append(node)
        self._nodes = {domain: np.array(nodes, dtype=np.int64) for domain, nodes in found.items()}
        self._names, self._number = np.unique(np.array(self.of, dtype=np.int64), return_inverse=True)

    def nodes(self, chosen: Collection[int]) -> Nodes:
        """Return the nodes in the chosen domains; a domain may have none."""
        if len(chosen) > _FEW:
            return self._mask(chosen)
        parts = [self._nodes[domain] for domain in chosen if domain in self._nodes]
        return np.concatenate(parts) if parts else _NONE

    def _mask(self, chosen: Collection[int]) -> Bools:
        asked = np.fromiter(chosen, dtype=np.int64, count=len(chosen))
        at = np.minimum(np.searchsorted(self._names, asked), len(self._names) - 1)
        hit = np.zeros(len(self._names), dtype=np.bool_)
        hit[at[self._names[at] == asked]] = True
        return hit[self._number]


class Once(Generic[Key, Made]):
    """Makes something of each key once. A key that is the very same object is known without looking through it.

    Keys are as long as there are nodes, and thousands of constraints share a few of them.
    """

    def __init__(self, make: Callable[[Key], Made]) -> None:
        self._make = make
        self._same: dict[int, tuple[Key, Made]] = {}  # a key that is kept keeps its number
        self._equal: dict[Key, Made] = {}

    def of(self, key: Key) -> Made:
        """Return what was made of a key, or of an equal one."""
        if id(key) not in self._same:
            if key not in self._equal:
                self._equal[key] = self._make(key)
            self._same[id(key)] = key, self._equal[key]
        return self._same[id(key)][1]
