"""Classes: pods that the optimiser cannot tell apart; only constraints that can bind keep pods apart.

Source: docs/design/optimiser.md, section 2. Identities are handed out after solving (`identities.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from descheduler.optimiser.problem import Problem
from descheduler.optimiser.tables import Bools, Ints, Tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """`of[pod]` is a pod's class, `sample[class]` one of its pods, `size` its pods, `run` those that run and may stay.

    `order` lists the pods class by class, `start` where each class begins in it.
    """

    of: Ints
    sample: Ints
    size: Ints
    run: Ints
    order: Ints
    start: Ints

    def __len__(self) -> int:
        return len(self.sample)

    def keys(self, tables: Tables, where: Ints) -> Ints:
        """Return class and node of each pod in one number, for counting; only for pods with a place."""
        return self.of * len(tables.room) + where

    def members(self, which: int) -> Ints:
        """Return the pods of a class."""
        return self.order[self.start[which] : self.start[which + 1]]


def classify(problem: Problem, tables: Tables) -> Classes:
    """Group the pods by requests, tier, nodes, weight, whether they must leave, and what binds them."""
    keys = np.column_stack(
        [tables.requests, tables.tier, tables.mask_of, tables.weight, tables.left, _bound_by(problem, tables)]
    )
    _, sample, of, size = np.unique(keys, axis=0, return_index=True, return_inverse=True, return_counts=True)
    of = of.reshape(-1).astype(np.int64)
    return Classes(
        of=of,
        sample=sample.astype(np.int64),
        size=size.astype(np.int64),
        run=np.bincount(of[tables.running], minlength=len(sample)).astype(np.int64),
        order=np.argsort(of, kind="stable").astype(np.int64),
        start=np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
    )


def _bound_by(problem: Problem, tables: Tables) -> Ints:
    """Return a number for each pod: equal for pods that the same constraints bind in the same roles."""
    sets: list[list[int]] = [[] for _ in problem.items]
    for number, members in enumerate(binding(problem, tables)):
        for member in members:
            sets[member].append(number)
    numbers: dict[tuple[int, ...], int] = {}
    return np.array([numbers.setdefault(tuple(held), len(numbers)) for held in sets], dtype=np.int64)


def binding(problem: Problem, tables: Tables) -> Iterator[Sequence[int]]:
    """Yield the members of each role in each constraint that can bind."""
    disruptable: Bools = tables.running | tables.leaving
    for budget in problem.budgets:
        if budget.allowed < sum(bool(disruptable[member]) for member in budget.members):
            yield budget.members
    yield from (exclusive.members for exclusive in problem.exclusives if len(exclusive.members) > 1)
    for separation in problem.separations:
        yield separation.carriers
        yield separation.others
    for attraction in problem.attractions:
        yield attraction.carriers
        yield attraction.matching
    for spread in problem.spreads:
        yield spread.carriers
        yield spread.counted
