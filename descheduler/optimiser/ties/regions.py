"""Nodes by topology domain, as arrays; knows no constraint."""

import functools
from collections.abc import Iterable

import numpy as np

from descheduler.optimiser.problem import Domains
from descheduler.optimiser.tables import Bools, Ints


@functools.lru_cache(maxsize=32)  # a cluster has a few keys; as many ties as workloads ask for them
def regions_of(domains: Domains, named: frozenset[int] = frozenset()) -> "Regions":
    """Return the regions of a key, the same for every tie; nobody changes them."""
    return Regions(domains, named)


class Regions:
    """The domains of one key as consecutive numbers; nodes without the key have the last, nameless one."""

    def __init__(self, domains: Domains, named: Iterable[int] = ()) -> None:
        names = sorted({domain for domain in (*domains, *named) if domain >= 0})
        self.number = {name: number for number, name in enumerate(names)}
        self.count = len(names)
        self.of: Ints = np.array([self.number.get(domain, self.count) for domain in domains], dtype=np.int64)

    def nodes(self, chosen: Bools, *, nameless: bool) -> Bools:
        """Return the nodes in the chosen domains, and those without the key where asked for."""
        return np.append(chosen, nameless)[self.of]

    def zeros(self) -> Ints:
        """Return a count for every domain and one for the nodes without the key."""
        return np.zeros(self.count + 1, dtype=np.int64)
