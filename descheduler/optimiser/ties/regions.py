"""Nodes by topology domain, made once for all constraints over one key; knows no constraint."""

from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

import numpy as np

from descheduler.optimiser.problem import Domains
from descheduler.optimiser.tables import Ints

NAMELESS: Final = -1
"""The domain of the nodes without the key."""

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")
_NONE: Final[Ints] = np.zeros(0, dtype=np.int64)


class Regions:
    """The nodes of each domain of one key; `of` is the domain of each node."""

    def __init__(self, domains: Domains) -> None:
        self.of = tuple(max(domain, NAMELESS) for domain in domains)
        found: dict[int, list[int]] = {}
        for node, domain in enumerate(self.of):
            found.setdefault(domain, []).append(node)
        self._nodes = {domain: np.array(nodes, dtype=np.int64) for domain, nodes in found.items()}

    def nodes(self, chosen: Iterable[int]) -> Ints:
        """Return the nodes in the chosen domains; a domain may have none."""
        parts = [self._nodes[domain] for domain in chosen if domain in self._nodes]
        return np.concatenate(parts) if parts else _NONE


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
