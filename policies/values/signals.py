"""Measured values with what is known of their age: grids of objects by evaluation times; decides nothing.

Source: the four states of a value and their tests are section 5 of the buoyancy design (docs/design/buoyancy.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
States: TypeAlias = NDArray[np.uint8]


class Freshness(IntEnum):
    """What may be done with a value: only a fresh one enters a formula. Missing is never 0."""

    FRESH = 0
    STALE = 1
    MISSING = 2
    NAN = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grid:
    """What one query says of many objects: a row per object, a column per evaluation time, oldest first.

    `values` (N x T, the query's own unit) is NaN wherever there is no finite number. `states` (N x T) holds
    `Freshness` codes. `ages` (N x T, seconds at the evaluation time) is NaN where the age is not known.
    `verified` is False for a query without an `age` query beside it: its values may score, but neither refuse a
    node nor evict a pod. `objects` are node names, `namespace/name` of pods, or `namespace/name` of workloads.
    """

    objects: tuple[str, ...] = ()
    values: Floats
    states: States
    ages: Floats
    verified: bool = True
    row: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def of(objects: tuple[str, ...], *, values: Floats, states: States, ages: Floats, verified: bool) -> "Grid":
        """Return a grid with its index of rows, values blanked wherever they are not fresh."""
        fresh_only = np.where(states == Freshness.FRESH, values, np.nan)
        row = {name: at for at, name in enumerate(objects)}
        return Grid(objects=objects, values=fresh_only, states=states, ages=ages, verified=verified, row=row)

    @staticmethod
    def empty(columns: int = 1, *, verified: bool = False) -> "Grid":
        """Return the grid of a query that gave nothing: every object is missing."""
        nothing = np.empty((0, columns))
        return Grid(values=nothing, states=np.empty((0, columns), np.uint8), ages=nothing, verified=verified)

    def newest(self, name: str) -> float | None:
        """Return the newest fresh value of an object, None where there is none."""
        at = self.row.get(name)
        if at is None or self.values.shape[1] == 0:
            return None
        value = float(self.values[at, -1])
        return None if np.isnan(value) else value

    def state(self, name: str) -> Freshness:
        """Return the state of an object's newest value; an object without a row is missing."""
        at = self.row.get(name)
        return Freshness.MISSING if at is None else Freshness(int(self.states[at, -1]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResourceReadings:
    """The grids of one contended resource.

    `node` and `pressure` cover every evaluation time; `pod` (what each pod takes) and `workload` (use by namespace
    and controller) only the newest, so they have one column. A query that the policy does not have is None.
    """

    node: Grid
    pressure: Grid | None = None
    pod: Grid | None = None
    workload: Grid | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SignalHistory:
    """All readings up to `times[-1]`: `times` are evaluation times in Unix seconds, `step` apart, oldest first.

    `resources` are keyed by the policy's resource names, `slos` by SLO names (the indicator's own unit).
    `failures` names each query that gave nothing usable, with the cause in words.
    """

    times: Floats
    step: float
    resources: Mapping[str, ResourceReadings] = field(default_factory=dict)
    slos: Mapping[str, Grid] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
