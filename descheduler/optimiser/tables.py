"""A problem as arrays, with what the present placement breaks relaxed to its present state; solves nothing.

Source: docs/design/optimiser.md, sections 2 and 3. Amounts stay exact up to 2^46: what is larger than every node is
cut to one more than the largest, which fits nowhere either. Absurd rooms get a coarser unit, rounded to the safe side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from descheduler.optimiser.problem import Problem

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
NOWHERE: Final = -1
_LARGEST: Final = 2**46  # 70 TB: sums over 100,000 pods fit into 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Pods are rows of `requests`, nodes rows of `room`; `masks[mask_of[pod]]` are the nodes it may be placed on.

    `origin` is where a pod runs, `NOWHERE` for pending ones and for victims that must leave; `left` is a victim's node,
    where it stands until it gets a place, `NOWHERE` for others; `home` is either, for loops, and shared by all ties, of
    which there are thousands. `running` pods run and may stay, `leaving` ones are victims that must leave. `closed`
    nodes take nobody: masks leave them out.
    Without `exact` amounts were rounded, and nothing that follows from them is a proof.
    """

    requests: Ints
    room: Ints
    scale: npt.NDArray[np.float64]
    tier: Ints
    weight: Ints
    origin: Ints
    left: Ints
    home: Sequence[int]
    running: Bools
    leaving: Bools
    keep_first: npt.NDArray[np.float64]
    mask_of: Ints
    masks: Bools
    closed: Bools
    tiers: int
    exact: bool


def tabulate(problem: Problem) -> Tables:
    """Return the problem's pods and nodes as arrays."""
    items, sites = problem.items, problem.sites
    amounts = _amounts(problem)
    node = np.array([NOWHERE if item.node is None else item.node for item in items], dtype=np.int64)
    leaving = np.array([item.must_leave for item in items], dtype=np.bool_) & (node >= 0)
    room, requests = amounts.room, amounts.requests
    np.subtract.at(room, node[leaving], requests[leaving])  # a victim's space stays taken
    origin = np.where(leaving, NOWHERE, node)
    use = np.zeros_like(room)
    np.add.at(use, origin[origin >= 0], requests[origin >= 0])
    closed = np.array([not site.accepts for site in sites], dtype=np.bool_) | (use > room).any(axis=1)
    masks, mask_of = _masks(problem, closed)
    relaxed = np.maximum(np.maximum(room, use), 0)
    left = np.where(leaving, node, NOWHERE)
    return Tables(
        requests=requests,
        room=relaxed,
        scale=1.0 / np.maximum(relaxed.max(axis=0, initial=1), 1),
        tier=np.array([item.tier for item in items], dtype=np.int64),
        weight=np.array([item.weight for item in items], dtype=np.int64),
        origin=origin,
        left=left,
        home=np.maximum(origin, left).tolist(),
        running=origin >= 0,
        leaving=left >= 0,
        keep_first=np.array([item.keep_first for item in items], dtype=np.float64),
        mask_of=mask_of,
        masks=masks,
        closed=closed,
        tiers=problem.tiers,
        exact=amounts.exact,
    )


def covers(have: Ints, asked: Ints) -> Bools:
    """Return for each row whether it has all that is asked; column by column, as rows are short and many."""
    enough = np.ones(len(have), dtype=np.bool_)
    for resource, amount in enumerate(asked.T):
        enough &= have[:, resource] >= amount
    return enough


def shares(amounts: Ints, scale: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return for each row what its amounts come to in shares of the largest node; column by column too."""
    total = np.zeros(len(amounts))
    for resource, factor in enumerate(scale.tolist()):
        total += amounts[:, resource] * factor
    return total


@dataclass(frozen=True, slots=True)
class _Amounts:
    requests: Ints
    room: Ints
    exact: bool


def _amounts(problem: Problem) -> _Amounts:
    """Return requests and rooms in units in which sums fit into 64 bits."""
    width = len(problem.resources)
    requests = np.array([item.requests for item in problem.items], dtype=np.int64).reshape(-1, width)
    # A room below nothing is closed like one of -1; what nobody can have is as good as one more than the largest.
    # Rooms end at 2^62, so that one more than the largest is a number too.
    room = np.clip(np.array([site.room for site in problem.sites], dtype=np.int64).reshape(-1, width), -1, 2**62)
    most = room.max(axis=0, initial=0)
    unit = most // _LARGEST + 1
    requests = -(-np.minimum(requests, most + 1) // unit)
    return _Amounts(requests, room // unit, bool((unit == 1).all()))


def _masks(problem: Problem, closed: Bools) -> tuple[Bools, Ints]:
    """Return the distinct sets of nodes and which one each pod has; a victim's set is without its node."""
    known: dict[tuple[int, int], int] = {}
    rows: list[Bools] = []
    same: dict[bytes, int] = {}
    mask_of = np.empty(len(problem.items), dtype=np.int64)
    for index, item in enumerate(problem.items):
        shut = item.node if item.must_leave and item.node is not None else NOWHERE
        key = (item.eligible, shut)
        if key not in known:
            row = np.zeros(len(problem.sites), dtype=np.bool_)
            row[list(problem.eligibility[item.eligible])] = True
            row &= ~closed
            if shut >= 0:
                row[shut] = False
            known[key] = same.setdefault(row.tobytes(), len(rows))
            if known[key] == len(rows):
                rows.append(row)
        mask_of[index] = known[key]
    return np.array(rows, dtype=np.bool_).reshape(len(rows), len(problem.sites)), mask_of
