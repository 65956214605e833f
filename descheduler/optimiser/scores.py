"""Counts and the compared vector of a plan given as an array of places; equal to `vectors.py`, only faster."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import Ints, Tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a plan does: unplaced, evicted and disturbed weight by tier, and the disruptions it takes in all."""

    unplaced: tuple[int, ...]
    evicted: tuple[int, ...]
    weights: tuple[int, ...]
    disruptions: int

    @property
    def weight(self) -> int:
        """The weighted disruptions of all tiers."""
        return sum(self.weights)


def score(tables: Tables, where: Ints) -> Score:
    """Count what the plan does."""
    disturbed = tables.running & (where != tables.origin)
    unplaced = where < 0
    return Score(
        unplaced=_by_tier(tables, unplaced),
        evicted=_by_tier(tables, disturbed & unplaced),
        weights=tuple(
            int(total)
            for total in np.bincount(
                tables.tier[disturbed], weights=tables.weight[disturbed].astype(np.float64), minlength=tables.tiers
            )
        ),
        disruptions=int(disturbed.sum() + (tables.leaving & ~unplaced).sum()),
    )


def _by_tier(tables: Tables, chosen: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> tuple[int, ...]:
    return tuple(np.bincount(tables.tier[chosen], minlength=tables.tiers).tolist())


def ordering(options: Options) -> Callable[[Score], tuple[int, ...]]:
    """Return what turns a score into the vector that these options compare by."""
    frozen = options.order == "frozen"

    def key(counted: Score) -> tuple[int, ...]:
        parts: list[int] = []
        for tier, unplaced in enumerate(counted.unplaced):
            parts += [unplaced] if options.evict_for_count else [counted.evicted[tier], unplaced]
            parts += [counted.weights[tier]] if frozen else []
        return tuple(parts if frozen else [*parts, counted.weight])

    return key
