"""Snapshots of made clusters under high demand, by number of nodes, tiers and seed; solves nothing.

Workloads come and go at random while the demand of all pods swings around 95 % of the capacity. After some turnovers
of the whole population the snapshot is taken as soon as enough pods are pending.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.placements.fleet import Fleet, Pod, problem_of
from bench.placements.sizes import NODE, Drawer
from descheduler.optimiser.problem import Problem

_MIDDLE: Final = 0.95
_SWING: Final = 0.04
# In turnovers. So a snapshot of up to 100 nodes is taken at about 98 % demand, one of 1,000 at 95, one of 5,000 at 93.
_PERIOD: Final = 6.0
_LOWEST: Final = 0.4
_LARGE: Final = 500
_HUGE: Final = 5_000
_LONGEST: Final = 40  # turnovers after which it is given up


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a snapshot is made from."""

    nodes: int
    tiers: int

    @property
    def turnovers(self) -> float:
        """Return how often the population changes before a snapshot."""
        return 1.5 if self.nodes >= _HUGE else 2.0 if self.nodes >= _LARGE else 4.0

    @property
    def pending(self) -> int:
        """Return how many pods have to be pending."""
        return max(2, self.nodes // (50 if self.nodes >= _LARGE else 10))

    def __str__(self) -> str:
        return f"{self.nodes}x{self.tiers}"


def snapshot(cell: Cell, seed: int) -> Problem:
    """Make one snapshot.

    Raises:
        RuntimeError: so many pods were never pending at once.
    """
    chance = np.random.default_rng([cell.nodes, cell.tiers, seed])
    churn = _Churn(cell, chance)
    while churn.turned < cell.turnovers or len(churn.fleet.pending) < cell.pending:
        if churn.turned > _LONGEST:
            raise RuntimeError(f"{cell}, seed {seed}: never {cell.pending} pods pending at once")
        churn.step()
    return problem_of(churn.fleet, tiers=cell.tiers)


class _Churn:
    """Workloads that come while demand is below the swinging target, and go while it is above."""

    def __init__(self, cell: Cell, chance: np.random.Generator) -> None:
        self.fleet = Fleet.of(cell.nodes, NODE)
        self._chance = chance
        self._drawer = Drawer(chance, tiers=cell.tiers)
        self._next = self._drawer.draw()
        self._workloads: list[list[Pod]] = []
        self._asked = np.zeros(2)
        self._total = self.fleet.capacity.sum(axis=0)
        self._population = 0

    @property
    def turned(self) -> float:
        """Return how many pods were made by now, by the number when it was full for the first time."""
        return self.fleet.made / self._population if self._population else 0.0

    @property
    def demand(self) -> float:
        """Return the larger of CPU and memory that all pods ask for, by the capacity."""
        return float((self._asked / self._total).max())

    def step(self) -> None:
        """Let one workload come or go."""
        target = _MIDDLE - _SWING * math.cos(2 * math.pi * (self.turned - _LOWEST) / _PERIOD)
        more = np.array(self._next.requests) * self._next.replicas
        # One that is too large waits until enough have gone: passing it over would make small pods the rule.
        if self.demand < target and ((self._asked + more) / self._total).max() <= _MIDDLE + _SWING:
            self._workloads.append(self.fleet.add(self._next))
            self._asked += more
            self._next = self._drawer.draw()
            return
        self._population = self._population or self.fleet.made
        at = int(self._chance.integers(len(self._workloads)))
        self._workloads[at], self._workloads[-1] = self._workloads[-1], self._workloads[at]
        gone = self._workloads.pop()
        self.fleet.remove(gone)
        self._asked -= np.array(gone[0].workload.requests) * len(gone)
