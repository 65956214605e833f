"""How much history a decision may use: everybody, loop or single run, decides on the same stretch of time."""

from dataclasses import replace

from policies.buoyancy.tolerance import Flags
from policies.values.signals import Grid, ResourceReadings, SignalHistory


def recent(history: SignalHistory, *, span: float) -> SignalHistory:
    """Return a history without its evaluations older than `span` before the newest one.

    A loop that keeps more than a single run can ask for would see trouble begin earlier, and decide differently.
    """
    if not len(history.times):
        return history
    kept = history.times >= history.times[-1] - span - history.step / 1000  # Unix seconds are only exact to 1e-7
    if kept.all():
        return history
    return replace(
        history,
        times=history.times[kept],
        resources={name: _cut_readings(readings, kept) for name, readings in history.resources.items()},
        slos={name: _cut(grid, kept) for name, grid in history.slos.items()},
    )


def _cut_readings(readings: ResourceReadings, kept: Flags) -> ResourceReadings:
    pressure = None if readings.pressure is None else _cut(readings.pressure, kept)
    return replace(readings, node=_cut(readings.node, kept), pressure=pressure)


def _cut(grid: Grid, kept: Flags) -> Grid:
    if not grid.objects:
        return grid
    return replace(grid, values=grid.values[:, kept], states=grid.states[:, kept], ages=grid.ages[:, kept])
