"""Arithmetic about moves: what two nodes' scores would be after a pod went from one to the other; chooses no pod.

Only additive resources with a known `R_i` can be computed. For the others the destination must have 0.1 more headroom
than the filter asks for, beforehand.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from policies.buoyancy.tolerance import below

UNCOUNTABLE_MARGIN: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A pod's way from one node to another, in scores by resource.

    `pod` are the pod's `R_i` against the source's capacity; `ratios` are capacity of the source by capacity of the
    destination, 1 where not named. `contested` is the source's contested resource.
    """

    source: Mapping[str, float]
    destination: Mapping[str, float]
    pod: Mapping[str, float]
    additive: Collection[str]
    contested: str
    ratios: Mapping[str, float] = field(default_factory=dict)

    def countable(self, resource: str) -> bool:
        """Tell whether the pod's part of a resource can be subtracted here and added there."""
        return resource in self.additive and resource in self.pod


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """What a move would do: both nodes' scores afterwards, the destination's headroom, and the two tests.

    `headroom` is the destination's `O_m` after the move over all its resources. `fits` says that the destination keeps
    the headroom asked for, `gains` that the larger of the two nodes' scores gets strictly smaller.
    """

    source: Mapping[str, float]
    destination: Mapping[str, float]
    headroom: float
    fits: bool
    gains: bool


def taken_off(score: float, pod: float) -> float:
    """Return a node's score without a pod's part: `R_n - R_i`, never below 0."""
    return max(0.0, score - pod)


def put_on(score: float, pod: float, *, ratio: float = 1.0) -> float:
    """Return a node's score with a pod's part: `R_m + R_i * capacity of n / capacity of m`."""
    return score + pod * ratio


def consequence(move: Move, *, keep: float) -> Consequence:
    """Return what a move would do, where a destination must keep a headroom of `keep`.

    A destination without the contested resource's score, or without any, neither fits nor gains.
    """
    source = {name: _source_after(move, name) for name in move.source}
    destination = {name: _destination_after(move, name) for name in move.destination}
    known = move.contested in move.destination and move.contested in move.source
    return Consequence(
        source=source,
        destination=destination,
        headroom=1.0 - max(destination.values(), default=1.0),
        fits=known and all(_fits(move, name, score, keep=keep) for name, score in destination.items()),
        gains=known and _gains(move, source=source, destination=destination),
    )


def _source_after(move: Move, name: str) -> float:
    return taken_off(move.source[name], move.pod[name]) if move.countable(name) else move.source[name]


def _destination_after(move: Move, name: str) -> float:
    score = move.destination[name]
    return put_on(score, move.pod[name], ratio=move.ratios.get(name, 1.0)) if move.countable(name) else score


def _fits(move: Move, name: str, score: float, *, keep: float) -> bool:
    wanted = keep if move.countable(name) else keep + UNCOUNTABLE_MARGIN
    return math.isfinite(score) and not below(1.0 - score, wanted)


def _gains(move: Move, *, source: Mapping[str, float], destination: Mapping[str, float]) -> bool:
    """Compare the larger of both nodes' scores before and after, over the resources that can be counted.

    Where the contested one cannot, the destination must be strictly less contested there: all that can be said.
    """
    if not move.countable(move.contested):
        return below(move.destination[move.contested], move.source[move.contested])
    counted = [name for name in move.destination if move.countable(name) and name in move.source]
    before = max(max(move.source[name], move.destination[name]) for name in counted)
    after = max(max(source[name], destination[name]) for name in counted)
    return below(after, before)
