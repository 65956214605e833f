"""Saturation without the pods that were evicted lately, so that a node is not judged by load that has left it.

Evaluations older than an eviction are taken without the evicted pod's `R_i` (additive resources) or dropped; those
after it fade with the rate window, as assumed load does. Pressure counts no longer where the use falls below its gate.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from policies.buoyancy.saturation import Saturation
from policies.buoyancy.tolerance import below
from policies.values.signals import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """An evicted pod: from which node, when (Unix seconds, infinity while it is still ending), with which `R_i`."""

    node: str
    at: float
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """Which resources can be added and subtracted, and how far back each one's rate looks (seconds)."""

    additive: Collection[str]
    rate_windows: Mapping[str, float]


def without_departed(saturation: Saturation, departures: Iterable[Departure], *, arithmetic: Arithmetic) -> Saturation:
    """Return the saturation as it would have been had the evicted pods left before its first evaluation."""
    known = [departure for departure in departures if departure.node in saturation.row]
    if not known or not len(saturation.times):
        return saturation
    use, pressure = saturation.scores - saturation.pressure, saturation.pressure.copy()
    for departure in known:
        row = saturation.row[departure.node]
        for k, resource in enumerate(saturation.resources):
            share = _unseen(saturation, k, row, departure.at, window=arithmetic.rate_windows.get(resource, 0.0))
            taken = departure.scores.get(resource) if resource in arithmetic.additive else None
            use[k, row] = _corrected(use[k, row], share, taken)
            pressure[k, row] = np.where(below(use[k, row], saturation.gates[k]), 0.0, pressure[k, row])
    scores = use + pressure
    whole = saturation.whole & np.isfinite(scores)
    return replace(saturation, scores=scores, pressure=pressure, whole=whole)


def _unseen(saturation: Saturation, k: int, row: int, at: float, *, window: float) -> Floats:
    """Return for every evaluation the share of an eviction that its sample does not show yet."""
    newest = saturation.newest_sample[k, row]
    lag = saturation.now - newest if np.isfinite(newest) else 0.0
    age = saturation.times - lag - at
    seen = np.clip(age / window, 0.0, 1.0) if window > 0 else np.ones_like(age)
    return np.where(age < 0, 1.0, 1.0 - seen)


def _corrected(use: Floats, share: Floats, taken: float | None) -> Floats:
    """Subtract what had not left yet; where nobody knows how much that was, the evaluation is dropped."""
    if taken is None or not np.isfinite(taken):
        return np.where(share > 0, np.nan, use)
    return np.maximum(use - share * taken, 0.0)
