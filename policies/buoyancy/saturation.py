"""Saturation: the resource scores of all nodes at all evaluation times, from readings; judges no node.

A score rests on fresh values only. `whole` tells apart what is measured completely from what is missing or, under a
reached pressure gate without pressure, only a lower bound.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from policies.buoyancy.scores import Anchors, gated, normalise, pressure_lacking
from policies.buoyancy.tolerance import Flags
from policies.model.signals import ResourceSignal, Signals
from policies.values.signals import Floats, Freshness, Grid, ResourceReadings, SignalHistory, States

Kind = TypeVar("Kind", bound=np.generic)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Saturation:
    """Scores of K resources (alphabetical) x N nodes x T evaluation times (Unix seconds, oldest first).

    `scores` is NaN where nothing is known. `states` says why a score is not whole. `whole` is False for a missing
    score and for one that is only a lower bound. `verified` is False for a resource whose age nobody measures.
    `newest_sample` (K x N, Unix seconds) is NaN where the age is not known. `pressure` is what pressure added to each
    score, and `gates` (K) the score from which it does (NaN for a resource without a gate).
    """

    times: Floats
    step: float
    nodes: tuple[str, ...]
    row: Mapping[str, int]
    resources: tuple[str, ...]
    scores: Floats
    states: States
    whole: Flags
    verified: Flags
    newest_sample: Floats
    pressure: Floats
    gates: Floats

    @property
    def now(self) -> float:
        """Return the newest evaluation time."""
        return float(self.times[-1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Layer:
    """One resource's part of a saturation: N x T arrays, and the newest sample by node."""

    scores: Floats
    states: States
    whole: Flags
    verified: bool
    newest_sample: Floats
    pressure: Floats
    gate: float


def saturate(history: SignalHistory, signals: Signals, *, nodes: Sequence[str]) -> Saturation:
    """Return the saturation of the given nodes; a node without a series is missing, a series without a node ignored.

    Raises:
        ValueError: a grid does not cover the evaluation times; the message names the resource and both lengths.
    """
    names, resources = tuple(nodes), tuple(sorted(signals.resources))
    layers = [_layer(history, signals.resources[name], name=name, nodes=names) for name in resources]
    shape = (len(names), len(history.times))
    return Saturation(
        times=history.times,
        step=history.step,
        nodes=names,
        row={name: at for at, name in enumerate(names)},
        resources=resources,
        scores=_stack([layer.scores for layer in layers], shape, np.float64),
        states=_stack([layer.states for layer in layers], shape, np.uint8),
        whole=_stack([layer.whole for layer in layers], shape, np.bool_),
        verified=np.array([layer.verified for layer in layers], dtype=np.bool_),
        newest_sample=_stack([layer.newest_sample for layer in layers], shape[:1], np.float64),
        pressure=_stack([layer.pressure for layer in layers], shape, np.float64),
        gates=np.array([layer.gate for layer in layers], dtype=np.float64),
    )


def fresh_values(grid: Grid) -> Floats:
    """Return a grid's values with NaN wherever they are not fresh and finite: only fresh ones enter a formula."""
    return np.where((grid.states == Freshness.FRESH) & np.isfinite(grid.values), grid.values, np.nan)


def _layer(history: SignalHistory, signal: ResourceSignal, *, name: str, nodes: tuple[str, ...]) -> _Layer:
    readings = history.resources.get(name) or ResourceReadings(node=Grid.empty())
    use = _aligned(readings.node, nodes, times=history.times, what=f"{name}.node")
    values, states, verified = use.values, use.states, readings.node.verified
    lacking = np.zeros(values.shape, dtype=np.bool_)
    if signal.pressure is not None:
        grid = readings.pressure or Grid.empty()
        pressure = _aligned(grid, nodes, times=history.times, what=f"{name}.pressure")
        lacking = pressure_lacking(use.values, pressure.values, signal.gate)
        values = gated(use.values, pressure.values, signal.gate)
        states = np.where(lacking, pressure.states, use.states)
        verified = verified and (grid.verified or not grid.objects)
    anchors = Anchors(signal.zero, signal.full)
    scores = normalise(values, anchors)
    unusable = ~np.isfinite(scores) & (states == Freshness.FRESH)  # fresh, but no number after normalising
    return _Layer(
        scores=scores,
        states=np.where(unusable, np.uint8(Freshness.NAN), states),
        whole=np.isfinite(scores) & ~lacking,
        verified=verified,
        newest_sample=use.newest_sample,
        pressure=np.maximum(0.0, scores - normalise(use.values, anchors)),
        gate=math.nan if signal.pressure is None else (signal.gate - anchors.zero) / anchors.span,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Aligned:
    values: Floats
    states: States
    newest_sample: Floats


def _aligned(grid: Grid, nodes: tuple[str, ...], *, times: Floats, what: str) -> _Aligned:
    """Return a grid's rows in the order of the nodes; a node without a row is missing throughout."""
    shape = (len(nodes), len(times))
    if not grid.objects or not shape[1]:
        nothing = np.full(shape, np.nan)
        missing = np.full(shape, Freshness.MISSING, dtype=np.uint8)
        return _Aligned(values=nothing, states=missing, newest_sample=np.full(shape[0], np.nan))
    if grid.values.shape[1] != shape[1]:
        raise ValueError(f"{what} has {grid.values.shape[1]} columns, allowed are the {shape[1]} evaluation times")
    fresh = fresh_values(grid)
    if grid.objects == nodes:
        return _Aligned(values=fresh, states=grid.states, newest_sample=times[-1] - grid.ages[:, -1])
    rows = np.fromiter((grid.row.get(name, -1) for name in nodes), dtype=np.intp, count=shape[0])
    absent = rows < 0
    values, states = fresh[rows], grid.states[rows]
    newest = times[-1] - grid.ages[rows, -1]
    values[absent], states[absent], newest[absent] = np.nan, Freshness.MISSING, np.nan
    return _Aligned(values=values, states=states, newest_sample=newest)


def _stack(parts: list[NDArray[Kind]], shape: tuple[int, ...], kind: type[Kind]) -> NDArray[Kind]:
    """Stack the resources' arrays; without any resource there is still an array of the right kind and shape."""
    return np.stack(parts) if parts else np.empty((0, *shape), dtype=kind)
