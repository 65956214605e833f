"""The workload traces that Algorithm 8 was published with, made anew: who is there at the start, who comes and goes.

Parameters and seeds are those of the publication (docs/design/optimiser.md, section on traces); the lifetimes are
calibrated so that what all pods ask for averages 90 % of the capacity over the trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from bench.placements.fleet import Fleet, Pod, problem_of
from bench.placements.pareto import Pareto, with_mean
from bench.placements.sizes import NODE, REPLICAS, REQUEST, Drawer, Workload, geometric
from descheduler.optimiser.problem import Problem

SEEDS: Final = (
    1420052706459400740,
    2219457405427907235,
    3848061858430934892,
    4528391889290670831,
    5809399052914872227,
)
_USAGE: Final = 0.9
_WITHIN: Final = 0.01
_SHORTEST_GAP: Final = 1e-4
_LIVES: Final = (2.0, 86_400.0)
_LONGEST_LIVES: Final = 12.0  # times the first guess, and as little as its inverse
_BISECTIONS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a trace is made for; `gap` is the mean time between arrivals, `lasts` the whole trace, in seconds."""

    nodes: int = 32
    tiers: int = 4
    gap: float = 8.0
    lasts: float = 7_200.0

    @property
    def mean_life(self) -> float:
        """Return the mean lifetime that Little's law asks for."""
        replicas = sum(count * share for count, share in zip(REPLICAS, geometric(len(REPLICAS)), strict=True))
        return _USAGE * self.nodes / REQUEST.mean / replicas * self.gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """A workload with its time: `comes` is 0 for those that are there at the start."""

    workload: Workload
    comes: float
    goes: float


@dataclass(frozen=True, slots=True)
class _Draws:
    """Everything random of a trace as uniform numbers, so that another mean lifetime stretches the same trace."""

    gaps: Sequence[float]
    lives: Sequence[float]
    first_lives: Sequence[float]
    ages: Sequence[float]
    workloads: Sequence[Workload]
    first: Sequence[Workload] = field(default=())


def trace(shape: Shape, seed: int) -> tuple[Stay, ...]:
    """Return a trace in order of arrival; its average demand is within 1 % of the target."""
    draws = _drawn(shape, seed)
    least, most = shape.mean_life / _LONGEST_LIVES, shape.mean_life * _LONGEST_LIVES
    for _ in range(_BISECTIONS):
        mean = (least * most) ** 0.5
        stays = _stays(shape, draws, with_mean(*_LIVES, mean))
        demand = average_demand(stays, shape)
        if abs(demand - _USAGE) <= _WITHIN * _USAGE:
            return stays
        least, most = (mean, most) if demand < _USAGE else (least, mean)
    raise RuntimeError(f"{shape}, seed {seed}: no mean lifetime gives an average demand within 1 % of {_USAGE}")


def average_demand(stays: Sequence[Stay], shape: Shape) -> float:
    """Return the time average of the larger of CPU and memory that all pods ask for, over the capacity."""
    moments = sorted({0.0, shape.lasts, *(at for stay in stays for at in (stay.comes, stay.goes) if at < shape.lasts)})
    at = {moment: index for index, moment in enumerate(moments)}
    changes = np.zeros((len(moments), 2))
    for stay in stays:
        asked = np.array(stay.workload.requests) * stay.workload.replicas
        changes[at[stay.comes]] += asked
        if stay.goes < shape.lasts:
            changes[at[stay.goes]] -= asked
    shares = changes.cumsum(axis=0)[:-1] / (np.array(NODE) * shape.nodes)
    return float((shares.max(axis=1) * np.diff(moments)).sum() / shape.lasts)


def snapshot(shape: Shape, seed: int) -> Problem:
    """Replay a trace under the default scheduler; return the first moment of its second half with enough pending pods.

    Where so many never wait at once, it is the moment with most.
    """
    fleet, there = Fleet.of(shape.nodes, NODE), dict[int, list[Pod]]()
    stays = trace(shape, seed)
    events = sorted(
        [(stay.comes, 1, at) for at, stay in enumerate(stays)] + [(stay.goes, 0, at) for at, stay in enumerate(stays)]
    )
    fullest: tuple[int, Problem] | None = None
    for moment, comes, at in events:
        if moment >= shape.lasts:
            break
        if comes:
            there[at] = fleet.add(stays[at].workload)
        else:
            fleet.remove(there.pop(at))
        waiting = len(fleet.pending)
        if moment >= shape.lasts / 2 and waiting > (fullest[0] if fullest else 0):
            fullest = waiting, problem_of(fleet, tiers=shape.tiers)
            if waiting >= max(2, shape.nodes // 10):
                break
    return fullest[1] if fullest else problem_of(fleet, tiers=shape.tiers)


def _drawn(shape: Shape, seed: int) -> _Draws:
    chance = np.random.default_rng(seed)
    drawer = Drawer(chance, tiers=shape.tiers)
    count = int(3 * shape.lasts / shape.gap) + 100
    first: list[Workload] = []
    asked, capacity = np.zeros(2), np.array(NODE) * shape.nodes
    while (asked / capacity).max() < _USAGE:
        first.append(drawer.draw())
        asked += np.array(first[-1].requests) * first[-1].replicas
    return _Draws(
        gaps=chance.random(count).tolist(),
        lives=chance.random(count).tolist(),
        first_lives=chance.random(len(first)).tolist(),
        ages=chance.random(len(first)).tolist(),
        workloads=[drawer.draw() for _ in range(count)],
        first=first,
    )


def _stays(shape: Shape, draws: _Draws, lives: Pareto) -> tuple[Stay, ...]:
    """Return the trace under a distribution of lifetimes.

    Who is there at the start is met as often as it lives long, at any moment of its life.
    """
    lasting = lives.length_biased().at(np.array(draws.first_lives))
    left = lasting * np.array(draws.ages)
    present = [Stay(workload=one, comes=0.0, goes=goes) for one, goes in zip(draws.first, left.tolist(), strict=True)]
    gaps = with_mean(_SHORTEST_GAP, 16 * shape.gap, shape.gap).at(np.array(draws.gaps))
    arrivals, ends = gaps.cumsum(), gaps.cumsum() + lives.at(np.array(draws.lives))
    coming = zip(draws.workloads, arrivals.tolist(), ends.tolist(), strict=True)
    return (*present, *(Stay(workload=one, comes=at, goes=goes) for one, at, goes in coming if at < shape.lasts))
