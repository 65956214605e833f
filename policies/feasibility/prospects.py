"""What a move would do to each possible destination at once: `buoyancy.moves.consequence` over arrays of nodes.

Same formulas, same answers (a property test compares them); a cluster of thousands of nodes is looked at for every
candidate, so nobody loops over nodes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from policies.buoyancy.moves import UNCOUNTABLE_MARGIN, taken_off
from policies.buoyancy.tolerance import Flags, below
from policies.values.signals import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moves:
    """One candidate's ways to many nodes, in scores by resource.

    `source` are the source's scores, `pod` the candidate's countable `R_i` (additive and measured), `contested` the
    source's contested resource. `destinations` are the nodes' scores (NaN: not measured) and `ratios` the capacity of
    the source in units of theirs, each an array with a place a node.
    """

    source: Mapping[str, float]
    pod: Mapping[str, float]
    contested: str
    destinations: Mapping[str, Floats]
    ratios: Mapping[str, Floats]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prospects:
    """By node: the headroom `O_m` with the pod, whether it keeps what is asked for, whether the move gains."""

    headroom: Floats
    fits: Flags
    gains: Flags


def prospects(moves: Moves, *, keep: float) -> Prospects:
    """Return what a candidate's moves would do, where a destination must keep a headroom of `keep`."""
    after = {name: _after(moves, name) for name in moves.destinations}
    count = len(next(iter(after.values()), ()))
    highest, fits = np.full(count, np.nan), np.ones(count, np.bool_)
    for name, scores in after.items():
        wanted = keep if name in moves.pod else keep + UNCOUNTABLE_MARGIN
        fits &= np.isnan(scores) | ~below(1.0 - scores, wanted)
        highest = np.fmax(highest, scores)
    known = _known(moves, count)
    headroom = np.where(np.isnan(highest), 0.0, 1.0 - highest)
    return Prospects(headroom=headroom, fits=fits & known, gains=known & _gains(moves, after, count))


def _after(moves: Moves, name: str) -> Floats:
    scores = moves.destinations[name]
    return scores + moves.pod[name] * moves.ratios[name] if name in moves.pod else scores


def _known(moves: Moves, count: int) -> Flags:
    contested = moves.destinations.get(moves.contested)
    if contested is None or moves.contested not in moves.source:
        return np.zeros(count, np.bool_)
    return np.isfinite(contested)


def _gains(moves: Moves, after: Mapping[str, Floats], count: int) -> Flags:
    """Compare the larger of both nodes' scores before and after, over what can be counted, else what is contested."""
    if moves.contested not in moves.pod:
        contested = moves.destinations.get(moves.contested)
        if contested is None:
            return np.zeros(count, np.bool_)
        return np.asarray(below(contested, moves.source.get(moves.contested, math.nan)))
    then, now = np.full(count, np.nan), np.full(count, np.nan)
    for name in moves.pod.keys() & moves.source.keys() & moves.destinations.keys():
        measured = np.isfinite(moves.destinations[name])
        source = moves.source[name]
        now = np.fmax(now, np.where(measured, np.maximum(source, moves.destinations[name]), np.nan))
        then = np.fmax(then, np.where(measured, np.maximum(taken_off(source, moves.pod[name]), after[name]), np.nan))
    return then < now - 1e-9
