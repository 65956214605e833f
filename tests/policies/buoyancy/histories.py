"""Grids, histories and saturations for tests, from plain lists: None is missing, NaN is NaN, the rest is fresh."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from policies.buoyancy.saturation import Saturation, saturate
from policies.model.signals import ResourceSignal, Signals
from policies.values.signals import Freshness, Grid, ResourceReadings, SignalHistory

NOW = 1_800_000_000.0
STEP = 15.0

Series: TypeAlias = Sequence[float | None]


def make_grid(
    rows: Mapping[str, Series], *, verified: bool = True, age: float = 0.0, stale: Sequence[str] = ()
) -> Grid:
    """Return a grid of series by object; `stale` names objects whose newest value is too old."""
    values = np.array([[np.nan if v is None else v for v in series] for series in rows.values()], dtype=np.float64)
    states = np.array([[_state(v) for v in series] for series in rows.values()], dtype=np.uint8)
    if not rows:
        return Grid.empty()
    for at, name in enumerate(rows):
        if name in stale:
            states[at, -1] = Freshness.STALE
    return Grid.of(
        tuple(rows), values=values, states=states, ages=np.where(states == 2, np.nan, age), verified=verified
    )


def _state(value: float | None) -> Freshness:
    if value is None:
        return Freshness.MISSING
    return Freshness.FRESH if np.isfinite(value) else Freshness.NAN


def make_times(columns: int, *, now: float = NOW) -> Any:
    """Return evaluation times up to now, one step apart."""
    return now - STEP * np.arange(columns - 1, -1, -1.0)


def make_history(
    resources: Mapping[str, Grid | ResourceReadings],
    *,
    slos: Mapping[str, Grid] | None = None,
    columns: int | None = None,
) -> SignalHistory:
    """Return a history of node grids (or whole readings) by resource."""
    readings = {
        name: found if isinstance(found, ResourceReadings) else ResourceReadings(node=found)
        for name, found in resources.items()
    }
    grids = [*(reading.node for reading in readings.values()), *(slos or {}).values()]
    width = columns if columns is not None else max(grid.values.shape[1] for grid in grids)
    return SignalHistory(times=make_times(width), step=STEP, resources=readings, slos=slos or {})


def make_signals(*resources: str, **changes: Any) -> Signals:
    """Return signals in which every resource is additive, anchored at 0 and 1, unless changed for all."""
    defaults: dict[str, Any] = {"node": "q", "pod": "q", "age": "q", "pod_age": "q", "additive": True}
    return Signals(resources={name: ResourceSignal(**(defaults | changes)) for name in resources})


def make_saturation(scores: Mapping[str, Mapping[str, Series]], **grids: Any) -> Saturation:
    """Return the saturation of nodes by resource and node, anchored at 0 and 1."""
    nodes = tuple(sorted({node for rows in scores.values() for node in rows}))
    history = make_history({name: make_grid(rows, **grids) for name, rows in scores.items()})
    return saturate(history, make_signals(*scores), nodes=nodes)
