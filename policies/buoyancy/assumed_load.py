"""Assumed load: what pods that came or went lately add to a node's scores before the samples show it.

`dR = sum(use * f) / capacity` with `use = request * ratio`, positive for a pod that was bound and negative for one
that ended. For additive resources only. Nothing here knows which pods those are.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policies.values.signals import Floats


@dataclass(frozen=True, slots=True)
class Change:
    """A pod that came to a node at a time (Unix seconds) with its expected use; one that ended has a negative use."""

    at: float
    use: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What the newest sample of a node's resource can know: its time, and the window its rate looks back over."""

    newest: float
    rate_window: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changes:
    """Many changes at once: the node's row, the time and the signed use of each."""

    rows: NDArray[np.intp]
    at: Floats
    use: Floats


def unseen_share(at: float, sampling: Sampling) -> float:
    """Return `f`, the share of a change that the sample does not contain: 1 if it came after the sample.

    Before it, `1 - (newest - at) / rate_window`, and 0 once the whole window lies behind the change. A gauge
    (window 0) sees a pod at once.
    """
    age = sampling.newest - at
    if age < 0:
        return 1.0
    return max(0.0, 1.0 - age / sampling.rate_window) if sampling.rate_window > 0 else 0.0


def use_ratio(use: float | None, requested: float) -> float:
    """Return the workload's measured use per requested unit; 1 without history or without a request."""
    if use is None or not (math.isfinite(use) and use >= 0 and requested > 0):
        return 1.0
    return use / requested


def assumed(changes: Iterable[Change], *, sampling: Sampling, full_capacity: float) -> float:
    """Return `dR` of one node and resource. `full_capacity` is the capacity that a score of 1 stands for."""
    total = sum(change.use * unseen_share(change.at, sampling) for change in changes)
    load = total / full_capacity if full_capacity > 0 else 0.0
    return load if math.isfinite(load) else 0.0


def assumed_loads(changes: Changes, *, newest: Floats, rate_window: float, full_capacity: Floats) -> Floats:
    """Return `dR` of every node of one resource, as `assumed` does for one; `newest` and capacity are by node."""
    with np.errstate(all="ignore"):  # what is no number in the end is no load
        age = newest[changes.rows] - changes.at
        seen = np.clip(age / rate_window, 0.0, 1.0) if rate_window > 0 else np.ones_like(age)
        unseen = np.where(age < 0, 1.0, 1.0 - seen)
        total = np.bincount(changes.rows, weights=changes.use * unseen, minlength=len(newest))
        load = total / full_capacity
    return np.where(np.isfinite(load) & (full_capacity > 0), load, 0.0)


def with_load(scores: Floats, loads: Floats) -> Floats:
    """Return scores with assumed load, never below 0; a score that is missing stays missing."""
    return np.maximum(scores + loads, 0.0)
