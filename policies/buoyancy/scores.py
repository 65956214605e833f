"""Resource scores: how saturated one resource is, on one scale for all resources; picks no resource.

`R = max(0, (raw - zero) / (full - zero))`: 0 idle, 1 saturated, more than 1 oversubscribed. A raw value that is missing
gives a missing score, never 0.
"""

import math
from dataclasses import dataclass

import numpy as np

from policies.buoyancy.tolerance import Flags, below
from policies.values.signals import Floats


@dataclass(frozen=True, slots=True)
class Anchors:
    """The raw values that mean "no contention" and "saturated"."""

    zero: float = 0.0
    full: float = 1.0

    @property
    def span(self) -> float:
        """Return the raw way from idle to saturated (negative where less is worse), NaN where there is none."""
        width = self.full - self.zero
        return width if math.isfinite(width) and width != 0 else math.nan


def normalise(raw: Floats, anchors: Anchors) -> Floats:
    """Return the scores of raw values; NaN, infinity and anchors without a span give NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        score = np.maximum(0.0, (raw - anchors.zero) / anchors.span)
    return np.where(np.isfinite(score), score, np.nan)


def gated(use: Floats, pressure: Floats, gate: float) -> Floats:
    """Return `u + p` where the use `u` reaches the gate, else `u`: pressure on an idle node comes from limits.

    With the gate reached and the pressure missing, `u` is what is left: a proven lower bound, which the caller
    has to mark as such (`pressure_lacking`).
    """
    reached = ~below(use, gate) & np.isfinite(pressure)
    with np.errstate(over="ignore"):
        return use + np.maximum(0.0, np.where(reached, pressure, 0.0))


def pressure_lacking(use: Floats, pressure: Floats, gate: float) -> Flags:
    """Tell where a gated score is only a lower bound: the use reaches the gate and the pressure is not known."""
    return np.asarray(np.isfinite(use) & ~below(use, gate) & ~np.isfinite(pressure), dtype=np.bool_)


def shares_of(use: Floats, capacity: Floats, anchors: Anchors) -> Floats:
    """Return the pods' scores where use is shared out: `R_i = use / capacity / span`, on the scale of the node's score.

    Use and capacity are in one unit (cores). `zero` is the node's own, not each pod's, so it is not taken off.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        score = np.maximum(0.0, use / capacity / anchors.span)
    return np.where(np.isfinite(score) & (capacity > 0), score, np.nan)
