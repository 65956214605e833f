"""Contention: which nodes are oversubscribed, over which resource, and for how long already; evicts nobody.

Trouble is followed resource by resource: "over the same resource" means that the one contested now has itself been over
the threshold in every evaluation of the debounce. Only whole and verified scores count.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policies.buoyancy.debounce import Trigger, in_trouble, says_yes
from policies.buoyancy.headroom import contested, headroom
from policies.buoyancy.saturation import Saturation
from policies.buoyancy.tolerance import Flags
from policies.values.signals import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contention:
    """Nodes at the newest evaluation: usable scores (K x N), `O_n`, the contested resource (-1: unknown).

    `trouble` (K x N) is after debounce and hysteresis. `yes` is the newest evaluation alone. `remembers` is False
    while there are fewer evaluations than the debounce needs, whatever they say.
    """

    saturation: Saturation
    scores: Floats
    headroom: Floats
    contested: NDArray[np.intp]
    trouble: Flags
    yes: Flags
    remembers: bool

    @property
    def troubled(self) -> frozenset[str]:
        """Name the nodes in trouble over any resource: no destination for anybody."""
        return frozenset(self.saturation.nodes[at] for at in np.flatnonzero(self.trouble.any(axis=0)))

    def headroom_of(self, node: str) -> float | None:
        """Return `O_n` of a node, None where it is unknown or the node is."""
        at = self.saturation.row.get(node)
        room = np.nan if at is None else self.headroom[at]
        return None if np.isnan(room) else float(room)

    def contested_on(self, node: str) -> str | None:
        """Name the contested resource of a node, None where nothing is known of it."""
        at = self.saturation.row.get(node)
        return None if at is None or self.contested[at] < 0 else self.saturation.resources[self.contested[at]]

    def scores_on(self, node: str) -> Mapping[str, float]:
        """Return the usable scores of a node by resource."""
        at = self.saturation.row.get(node)
        if at is None:
            return {}
        named = zip(self.saturation.resources, self.scores[:, at].tolist(), strict=True)
        return {resource: score for resource, score in named if not math.isnan(score)}

    def sampled_at(self, node: str, resource: str) -> float | None:
        """Return when the newest sample of a node's resource was taken, None where nobody knows."""
        at = self.saturation.newest_sample[self.saturation.resources.index(resource), self.saturation.row[node]]
        return None if np.isnan(at) else float(at)

    @property
    def hot(self) -> tuple[str, ...]:
        """Name the nodes whose newest evaluation says yes, however long it has."""
        return tuple(self.saturation.nodes[at] for at in np.flatnonzero(self.yes))

    @property
    def oversubscribed(self) -> tuple[str, ...]:
        """Name the nodes that are in trouble over their contested resource and whose newest evaluation says yes."""
        if not len(self.saturation.resources):
            return ()
        over_contested = np.take_along_axis(self.trouble, np.maximum(self.contested, 0)[None, :], axis=0)[0]
        return tuple(self.saturation.nodes[at] for at in np.flatnonzero(over_contested & self.yes))


def contend(saturation: Saturation, trigger: Trigger) -> Contention:
    """Return the contention of all nodes, by a trigger on headroom."""
    usable = np.where(saturation.whole & saturation.verified[:, None, None], saturation.scores, np.nan)
    newest = usable[:, :, -1:]
    room = headroom(newest)
    return Contention(
        saturation=saturation,
        scores=newest[:, :, 0],
        headroom=room[:, 0],
        contested=contested(newest)[:, 0],
        trouble=np.stack([in_trouble(1.0 - layer, trigger) for layer in usable])
        if len(usable)
        else np.zeros((0, len(saturation.nodes)), dtype=np.bool_),
        yes=says_yes(room, trigger),
        remembers=len(saturation.times) >= trigger.needed,
    )
