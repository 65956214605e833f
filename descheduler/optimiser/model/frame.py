"""The part of a problem that one model decides: free pods by class, and the nodes they may be on.

Everything else stays as it is in the plan that the model starts from. The whole problem is the largest frame.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from descheduler.optimiser.classes import Classes
from descheduler.optimiser.model.concerns import ByMember, Concerns, Constraint
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.tables import Bools, Ints, Tables

_PLENTY: Final = 2**40


class Cast:
    """A problem with its arrays, classes and constraints, and how many pods of each class run on each node now."""

    def __init__(self, problem: Problem, tables: Tables, classes: Classes) -> None:
        self.problem, self.tables, self.classes = problem, tables, classes
        self.concerns = Concerns(problem)
        running = tables.running
        self._keys, self._counts = np.unique(classes.keys(tables, tables.origin)[running], return_counts=True)

    def present(self, keys: Ints) -> Ints:
        """Return how many pods of a class run on a node, for keys of class and node."""
        if not len(self._keys):
            return np.zeros_like(keys)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._counts[at], 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Cells are pairs of a class (`kind`, a position in `kinds`) and a node (`site`, a position in `sites`).

    `most` is how many pods may be in a cell, `present` how many run there now, `pods` the free ones, `count` how
    many of them each kind has. `outside` are the fixed pods with a place.
    """

    cast: Cast
    where: Ints
    pods: Ints
    sites: Ints
    kinds: Ints
    count: Ints
    kind: Ints
    site: Ints
    most: Ints
    present: Ints
    free: Bools

    @property
    def sample(self) -> Ints:
        """One pod of each kind."""
        return self.cast.classes.sample[self.kinds]

    @property
    def nodes(self) -> Ints:
        """The node of each cell, as the problem numbers them."""
        return self.sites[self.site]

    def concerned(self, constraints: ByMember[Constraint]) -> list[Constraint]:
        """Return the constraints that a free pod is a member of; all others hold whatever this frame decides."""
        return constraints.of(self.pods.tolist())

    def variables(self) -> int:
        """Return about how many variables a model of it has."""
        return int(len(self.kind) + ((self.present > 0) & (self.present < self.most)).sum() + 2 * len(self.kinds))


def whole(cast: Cast, where: Ints) -> Frame:
    """Return the frame of all pods and nodes."""
    return frame(cast, where, pods=np.ones(len(where), dtype=np.bool_), sites=np.arange(len(cast.tables.room)))


def around(cast: Cast, where: Ints, sites: Ints, waiting: Ints) -> Frame:
    """Return the frame of some nodes: the pods that the plan has there and some that wait."""
    chosen = np.zeros(len(cast.tables.room) + 1, dtype=np.bool_)
    chosen[sites] = True
    pods = chosen[where]  # the last entry stands for nowhere
    pods[waiting] = True
    return frame(cast, where, pods=pods, sites=np.sort(sites))


def frame(cast: Cast, where: Ints, *, pods: Bools, sites: Ints) -> Frame:
    """Return which cells there are when these pods may be on these nodes."""
    tables, classes = cast.tables, cast.classes
    index = np.flatnonzero(pods)
    kinds, count = np.unique(classes.of[index], return_counts=True)
    samples = classes.sample[kinds]
    present = cast.present(kinds[:, None] * len(tables.room) + sites[None, :])
    fits = np.full(present.shape, _PLENTY, dtype=np.int64)
    for resource in range(tables.requests.shape[1]):
        asked = tables.requests[samples, resource]
        some = asked > 0
        fits[some] = np.minimum(fits[some], tables.room[sites, resource][None, :] // asked[some][:, None])
    allowed = np.where(tables.masks[tables.mask_of[samples]][:, sites], fits, np.minimum(present, fits))
    most = np.minimum(allowed, count[:, None])
    kind, site = np.nonzero(most > 0)
    return Frame(
        cast=cast,
        where=where,
        pods=index,
        sites=sites,
        kinds=kinds.astype(np.int64),
        count=count.astype(np.int64),
        kind=kind.astype(np.int64),
        site=site.astype(np.int64),
        most=most[kind, site],
        present=present[kind, site],
        free=pods,
    )
