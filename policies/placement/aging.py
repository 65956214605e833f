"""Readings as they stand some time after they were taken: what has become too old is stale; reads no new ones."""

import math
from dataclasses import replace

import numpy as np

from policies.buoyancy.tolerance import TOLERANCE
from policies.values.signals import Freshness, Grid, SignalHistory


def aged(history: SignalHistory, *, at: float, stale_after: float) -> SignalHistory:
    """Return one column of readings as of a later time (Unix seconds).

    A value of unknown age is at least as old as its reading.
    """
    elapsed = at - float(history.times[-1])
    if elapsed <= 0:
        return history
    resources = {
        name: replace(
            readings,
            node=_older(readings.node, elapsed, stale_after),
            pressure=readings.pressure and _older(readings.pressure, elapsed, stale_after),
            workload=readings.workload and _older(readings.workload, elapsed, stale_after),
        )
        for name, readings in history.resources.items()
    }
    return replace(history, times=history.times + elapsed, resources=resources)


def with_last_known(latest: SignalHistory, last: SignalHistory, *, stale_after: float) -> SignalHistory:
    """Return readings in which a resource that could not be asked for keeps its last values while they are fresh.

    A query that fails once says nothing of the nodes; what was measured of them before is still true for a while.
    """
    before = aged(last, at=float(latest.times[-1]), stale_after=stale_after).resources
    unasked = {name.partition(".")[0] for name in latest.failures} | (before.keys() - latest.resources.keys())
    kept = {name: before[name] for name in unasked & before.keys()}
    return replace(latest, resources={**latest.resources, **kept}) if kept else latest


def next_expiry(history: SignalHistory, *, stale_after: float) -> float:
    """Return when (Unix seconds) the first fresh node value becomes stale, infinity where there is none."""
    oldest = -math.inf
    for readings in history.resources.values():
        for grid in (readings.node, readings.pressure):
            if grid is not None and (fresh := grid.states == Freshness.FRESH).any():
                oldest = max(oldest, float(np.nan_to_num(grid.ages[fresh]).max()))
    return math.inf if math.isinf(oldest) else float(history.times[-1]) + max(0.0, stale_after - oldest)


def _older(grid: Grid, elapsed: float, stale_after: float) -> Grid:
    ages = grid.ages + elapsed
    known = np.where(np.isnan(ages), elapsed, ages)
    expired = (grid.states == Freshness.FRESH) & (known > stale_after + TOLERANCE)
    states = np.where(expired, np.uint8(Freshness.STALE), grid.states)
    values = np.where(expired, np.nan, grid.values)
    return replace(grid, values=values, states=states, ages=known)
