"""Debounce and hysteresis over evaluations, oldest first: when trouble begins, and when it ends.

It begins once an evaluation and the ones before it have said yes `needed` times in a row, and ends at the first value
above the clearing threshold. An evaluation that knows nothing (NaN) says neither: it breaks a run, and ends no trouble.
"""

import math
from dataclasses import dataclass

import numpy as np

from policies.buoyancy.tolerance import TOLERANCE, Flags, above, below
from policies.values.signals import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """A value below `below` says yes, `needed` in a row begin trouble, the first value above `clear_above` ends it."""

    below: float
    clear_above: float
    needed: int


def evaluations_over(duration: float, step: float) -> int:
    """Return how many evaluations in a row span a duration: the first and the last lie at least that far apart."""
    return max(0, math.ceil(duration / step - TOLERANCE)) + 1


def in_trouble(values: Floats, trigger: Trigger) -> Flags:
    """Return for each row of N x T values whether it is in trouble after the last column, starting clear."""
    yes = below(values, trigger.below)
    ends = above(values, max(trigger.clear_above, trigger.below))
    trouble = np.zeros(values.shape[0], dtype=np.bool_)
    run = np.zeros(values.shape[0], dtype=np.int64)
    for column in range(values.shape[1]):
        run = np.where(yes[:, column], run + 1, 0)
        trouble = (trouble | (run >= trigger.needed)) & ~ends[:, column]
    return trouble


def says_yes(values: Floats, trigger: Trigger) -> Flags:
    """Return for each row whether its newest evaluation says yes; without any evaluation it does not."""
    if values.shape[1] == 0:
        return np.zeros(values.shape[0], dtype=np.bool_)
    return below(values[:, -1], trigger.below)
