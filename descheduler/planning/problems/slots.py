"""Attach slots of CSI drivers as rows of the problem, like any other resource.

A volume that several items share counts once for each of them: too often on a node that has it, never too seldom. Only
drivers of which some node names a limit are a row; where a node names none, the row is too wide to bind. A node with
more volumes than it can attach is closed to those who need one more, and open to everybody else.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from descheduler.planning.problems.amounts import Amounts
from descheduler.planning.problems.layout import Layout
from policies.feasibility.attachments import UNLIMITED, attachments, limits
from policies.feasibility.rows import Mask

_Counts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Slots:
    """One driver: volumes by item, and by site how many it can attach, what the ground leaves, what items take now."""

    driver: str
    needs: tuple[int, ...]
    most: _Counts
    left: _Counts
    present: _Counts

    @cached_property
    def crowded(self) -> Mask:
        """The sites that have more already than they can attach."""
        return np.asarray(self.present > self.left)

    @property
    def capacity(self) -> list[int]:
        """What each site can attach."""
        return self._bound(self.most)

    @property
    def room(self) -> list[int]:
        """What each site has for items: where it has too many, as many as are there, as others may come to it."""
        return self._bound(np.maximum(self.left, self.present))

    def _bound(self, counts: _Counts) -> list[int]:
        bound: list[int] = np.where(self.most < UNLIMITED, counts, sum(self.needs)).tolist()
        return bound


def attach_slots(layout: Layout) -> Mapping[str, Slots]:
    """Return the slots of each driver with a limit of which some item needs a volume attached."""
    needs = [Counter(volume.driver for volume in attachments(pod, layout.cluster)) for pod in layout.pods]
    return {slots.driver: slots for slots in _limited(layout, needs)}


def attaching(layout: Layout) -> Amounts:
    """Return a row for each of these drivers."""
    slots = attach_slots(layout)
    rows = [(each.needs, each.capacity, each.room) for each in slots.values()]
    return Amounts(
        resources=tuple(f"attachments of {driver}" for driver in slots),
        requests=tuple(tuple(needs[at] for needs, _, _ in rows) for at in range(len(layout.pods))),
        allocatable=tuple(tuple(most[site] for _, most, _ in rows) for site in range(len(layout.rows.nodes))),
        room=tuple(tuple(room[site] for _, _, room in rows) for site in range(len(layout.rows.nodes))),
    )


def _limited(layout: Layout, needs: Sequence[Counter[str]]) -> Iterator[Slots]:
    for driver in sorted({name for each in needs for name in each}):
        most = limits(layout.rows, driver, layout.cluster)
        if not (most < UNLIMITED).any():
            continue
        present = np.zeros(len(most), np.int64)
        for pod, need in zip(layout.pods, needs, strict=True):
            if pod.node is not None:
                present[layout.rows.row[pod.node]] += need[driver]
        yield Slots(
            driver=driver,
            needs=tuple(need[driver] for need in needs),
            most=most,
            left=layout.ground.attached.left(driver),
            present=present,
        )
