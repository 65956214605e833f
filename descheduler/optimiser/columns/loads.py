"""What may be put on each node, as arrays by node and item: an item is one more pod of a kind; solves nothing."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from descheduler.optimiser.model.frame import Frame
from descheduler.optimiser.tables import Bools, Ints

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loads:
    """Kinds by node, and the items they make: the first, second, ... pod of a kind on one node.

    By kind: `size` pods of a `weight` each. `own[node, kind]` run there, at most `most[node, kind]` may be there.
    By item: its `kind`, and on which nodes it is `allowed`; it has `saved[node, item]` where an own pod would stay.
    `sizes` (by item) and `room` (by node) of the resources that can bind are exact integers; times `scale` they are
    `share` and `left`, in shares of the largest node.
    """

    size: Ints
    weight: Ints
    own: Ints
    most: Ints
    sizes: Ints
    room: Ints
    share: Floats
    left: Floats
    scale: Floats
    kind: Ints
    allowed: Bools
    saved: Floats

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.room)

    def values(self, prices: Floats) -> Floats:
        """Return by node and item what it is worth when a pod of each kind has a price."""
        return prices[self.kind][None, :] + self.saved

    def disturbed(self, node: int | Ints, counts: Ints) -> Ints:
        """Return the weight of the own pods of a node that a content leaves out; of several, one a row, at once."""
        own = self.own[node]
        return np.asarray((own - np.minimum(own, counts)) @ self.weight)


def load(frame: Frame) -> Loads:
    """Return what the nodes of a whole frame may hold."""
    tables = frame.cast.tables
    shape = (len(frame.sites), len(frame.kinds))
    own, most = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    own[frame.site, frame.kind] = frame.present
    most[frame.site, frame.kind] = frame.most
    sizes, room = tables.requests[frame.sample], tables.room[frame.sites]
    binding = (most @ sizes > room).any(axis=0)
    sizes, room = sizes[:, binding], room[:, binding]
    copies = most.max(axis=0, initial=0)
    kind = np.repeat(np.arange(shape[1]), copies)
    copy = np.arange(len(kind)) - np.repeat(np.cumsum(copies) - copies, copies)
    weight = tables.weight[frame.sample]
    scale = tables.scale[binding]
    return Loads(
        size=frame.count,
        weight=weight,
        own=own,
        most=most,
        sizes=sizes[kind],
        room=room,
        share=sizes[kind] * scale,
        left=room * scale,
        scale=scale,
        kind=kind,
        allowed=copy[None, :] < most[:, kind],
        saved=np.where(copy[None, :] < own[:, kind], weight[kind][None, :], 0).astype(np.float64),
    )
