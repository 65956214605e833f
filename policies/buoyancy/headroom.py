"""Headroom and the contested resource of nodes, and the buoyancy of pods; knows no threshold.

A resource without a fresh value is dropped from every maximum. Where nothing is left the answer is NaN: unknown.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from policies.buoyancy.tolerance import TOLERANCE
from policies.values.signals import Floats


def largest_score(scores: Floats) -> Floats:
    """Return the largest fresh `R` over the first axis (resources)."""
    if scores.shape[0] == 0:
        return np.full(scores.shape[1:], np.nan)
    return np.asarray(np.fmax.reduce(scores, axis=0), dtype=np.float64)


def headroom(scores: Floats) -> Floats:
    """Return `O = 1 - max R` over the first axis."""
    return 1.0 - largest_score(scores)


def contested(scores: Floats) -> NDArray[np.intp]:
    """Return the index of the contested resource over the first axis, -1 where nothing is known.

    The first of equals wins, so that callers who keep resources in alphabetical order get the alphabetical tie rule.
    """
    if scores.shape[0] == 0:
        return np.full(scores.shape[1:], -1, dtype=np.intp)
    peak = largest_score(scores)
    first = np.argmax(scores >= peak - TOLERANCE, axis=0)
    return np.where(np.isnan(peak), -1, first)


def pod_buoyancy(slack: float | None, scores: Iterable[float]) -> float | None:
    """Return `B_i = min(s_bar, 1 - max R_i)` of the terms that are known, None where none is."""
    fresh = [1.0 - score for score in scores if math.isfinite(score)]
    terms = fresh if slack is None or math.isnan(slack) else [*fresh, slack]
    return min(terms, default=None)
