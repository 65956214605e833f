"""Which items of a node are open at all: others are in every content worth looking at, or in none."""

from dataclasses import dataclass

import numpy as np

from descheduler.optimiser.columns.loads import Floats, Loads
from descheduler.optimiser.tables import Bools, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """`forced[node, item]` are always in. The rest by node and step: the open item, the most decisive kinds first.

    `first` where it is the first open one of its kind: of equal pods the next one comes only after the one before.
    `rest` is by node, step and resource what the items from a step on take together, in shares.
    """

    forced: Bools
    item: Ints
    is_open: Bools
    first: Bools
    reduced: Floats
    rest: Floats

    @property
    def steps(self) -> int:
        """How many items the node with most has open."""
        return int(self.item.shape[1])


def opened(loads: Loads, reduced: Floats, gap: Floats) -> Opened:
    """Return the open items: to have or not to have one of them costs no more than the gap."""
    free = np.abs(reduced) <= gap[:, None]
    decisive = np.zeros_like(loads.most, dtype=np.float64)
    at, items = np.nonzero(free)
    np.maximum.at(decisive, (at, loads.kind[items]), np.abs(reduced[at, items]))
    # Items stand kind by kind, so that a stable sort keeps equal pods together and in their order.
    rank = np.where(free, -decisive[:, loads.kind] - 1e-9 * loads.kind, np.inf)
    count = free.sum(axis=1)
    item = np.argsort(rank, axis=1, kind="stable")[:, : int(count.max(initial=0))].astype(np.int64)
    is_open = np.arange(item.shape[1])[None, :] < count[:, None]
    kind = loads.kind[item]
    first = np.ones(item.shape, dtype=np.bool_)
    first[:, 1:] = kind[:, 1:] != kind[:, :-1]
    share = np.where(is_open[:, :, None], loads.share[item], 0.0)
    rest = np.zeros((loads.nodes, item.shape[1] + 1, loads.share.shape[1]))
    rest[:, :-1] = share[:, ::-1].cumsum(axis=1)[:, ::-1]
    return Opened(
        forced=reduced > gap[:, None],
        item=item,
        is_open=is_open,
        first=first,
        reduced=np.where(is_open, np.take_along_axis(reduced, item, axis=1), 0.0),
        rest=rest,
    )
