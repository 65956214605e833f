"""Series put into grids: a row per object, a column per evaluation time, and a state for each value.

Two series that mean the same object at the same time, or a series without numbers, leave that object missing: which
of two is right cannot be told. Formulas are elsewhere.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from policies.values.signals import Floats, Freshness, Grid, States
from sources.prometheus.series import Series
from sources.signals.naming import Naming

Flags: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = NDArray[np.int64]
_PACKED: Final = (array, np.ndarray)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """The samples of one query by object and time; `present` tells where there is one, if only a NaN.

    `trouble` says in words what could not be used, None when everything could.
    """

    objects: tuple[str, ...]
    values: Floats
    present: Flags
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ages:
    """The ages beside a query. `table` None: the age query itself failed, so that no value is known to be fresh."""

    table: Table | None
    stale_after: float


class _Rows:
    """Series sorted by what they measure; `of` has the series of each object, most often a single one."""

    def __init__(self, naming: Naming) -> None:
        self.naming = naming
        self.of: dict[str, list[Series]] = {}
        self.faults: list[str] = []
        self.nameless: list[Series] = []
        self.foreign: list[Series] = []
        self.total = 0

    def add(self, series: Series) -> None:
        self.total += 1
        name = self.naming.known(series.labels)
        if not name:
            (self.nameless if name is None else self.foreign).append(series)
            return
        if series.fault is not None:
            self.faults.append(f"{series} of {self.naming.what} {name} {series.fault}")
        self.of.setdefault(name, []).append(series)


def tabulate(series: Iterable[Series], naming: Naming, times: Floats) -> Table:
    """Sort series by the object they measure and their samples by evaluation time."""
    rows = _Rows(naming)
    for one in series:
        rows.add(one)
    values, counts = _cells(rows, times)
    _note_doubles(rows, counts)
    return Table(
        objects=tuple(rows.of),
        values=np.where(counts == 1, values, np.nan),
        present=counts == 1,
        trouble=_trouble(rows),
    )


def _cells(rows: _Rows, times: Floats) -> tuple[Floats, Counts]:
    """Return values and the number of samples by row and column, all samples in one go."""
    grouped = [series for group in rows.of.values() for series in group]
    row_of = [at for at, group in enumerate(rows.of.values()) for _ in group]
    lengths = [len(series.values) for series in grouped]
    moments, numbers = _joined([series.times for series in grouped]), _joined([series.values for series in grouped])
    row, column = np.repeat(np.array(row_of, np.int64), lengths), _columns(moments, times)
    inside = (column >= 0) & (column < len(times))
    cell = row[inside] * len(times) + column[inside]
    shape = (len(rows.of), len(times))
    values = np.full(len(rows.of) * len(times), np.nan)
    values[cell] = numbers[inside]
    return values.reshape(shape), np.bincount(cell, minlength=values.size).reshape(shape)


def _joined(parts: Sequence[Sequence[float] | Floats]) -> Floats:
    """Return many short rows as one; packed rows are copied as they stand."""
    if parts and all(isinstance(part, _PACKED) for part in parts):
        return np.concatenate(cast("Sequence[Floats]", parts))
    return np.fromiter(chain.from_iterable(parts), np.float64)


def _columns(moments: Floats, times: Floats) -> Counts:
    """Return the column of each sample; an instant query has but one, whatever time its samples carry."""
    if len(times) == 1:
        return np.zeros(len(moments), np.int64)
    return np.asarray(np.rint((moments - times[0]) / (times[1] - times[0])), np.int64)


def _note_doubles(rows: _Rows, counts: Counts) -> None:
    doubled = set(np.nonzero(counts > 1)[0].tolist())
    for at, (name, group) in enumerate(rows.of.items()):
        if at in doubled:
            rows.faults.append(f"{group[0]} and {group[1]} both mean {rows.naming.what} {name}")


def grid_of(table: Table, ages: Ages | None) -> Grid:
    """Give each value its state; `ages` None means that the policy has no age query beside it (unverified)."""
    shape = table.values.shape
    states: States = np.full(shape, Freshness.MISSING, np.uint8)
    states[table.present] = Freshness.NAN
    finite = table.present & np.isfinite(table.values)
    age = np.full(shape, np.nan) if ages is None else _aligned(ages, table)
    old = np.zeros(shape, np.bool_) if ages is None else ~(np.abs(age) <= ages.stale_after)
    states[finite] = Freshness.FRESH
    states[finite & old] = Freshness.STALE
    return Grid.of(table.objects, values=table.values, states=states, ages=age, verified=ages is not None)


def _aligned(ages: Ages, table: Table) -> Floats:
    """Return ages in the rows of the values; NaN where no age is told."""
    found = np.full(table.values.shape, np.nan)
    if ages.table is None or not ages.table.objects:
        return found
    row = {name: at for at, name in enumerate(ages.table.objects)}
    pairs = [(at, row[name]) for at, name in enumerate(table.objects) if name in row]
    if pairs:
        ours, theirs = zip(*pairs, strict=True)
        found[list(ours)] = ages.table.values[list(theirs)]
    return np.where(np.isfinite(found), found, np.nan)


def _trouble(rows: _Rows) -> str | None:
    """Say what is wrong; foreign series alone are none, unless there is nothing else."""
    problems = [_counted(rows.faults)] if rows.faults else []
    what, labels = rows.naming.what, ", ".join(rows.naming.labels)
    if rows.nameless:
        problems.append(
            f"{len(rows.nameless)} of {rows.total} series do not say their {what}, such as {rows.nameless[0]} "
            f"(labels looked at: {labels})"
        )
    elif what == "node" and rows.foreign and not rows.of:
        problems.append(
            f"none of {rows.total} series is of a node of this cluster, such as {rows.foreign[0]} "
            f"(labels looked at: {labels})"
        )
    return "; ".join(problems) or None


def _counted(faults: list[str]) -> str:
    more = len(faults) - 1
    return faults[0] + (f", and {more} more" if more else "")
