"""Attach slots of CSI drivers as rows of the problem, like any other resource.

A volume that several items share counts once for each of them: too often on a node that has it, never too seldom. Only
drivers of which some node names a limit are a row; where a node names none, the row is too wide to bind.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from descheduler.planning.problems.amounts import Amounts
from descheduler.planning.problems.layout import Layout
from policies.feasibility.attachments import UNLIMITED, attachments, limits


@dataclass(frozen=True, slots=True)
class _Row:
    """One driver: volumes by item, and how many volumes each site can attach and has left to attach."""

    driver: str
    needs: tuple[int, ...]
    capacity: tuple[int, ...]
    room: tuple[int, ...]


def attach_slots(layout: Layout) -> Amounts:
    """Return a row for each driver with a limit of which some item needs a volume attached."""
    needs = [Counter(volume.driver for volume in attachments(pod, layout.cluster)) for pod in layout.pods]
    rows = tuple(_rows(layout, needs))
    return Amounts(
        resources=tuple(f"attachments of {row.driver}" for row in rows),
        requests=tuple(tuple(row.needs[at] for row in rows) for at in range(len(layout.pods))),
        allocatable=tuple(tuple(row.capacity[site] for row in rows) for site in range(len(layout.rows.nodes))),
        room=tuple(tuple(row.room[site] for row in rows) for site in range(len(layout.rows.nodes))),
    )


def _rows(layout: Layout, needs: Sequence[Counter[str]]) -> Iterator[_Row]:
    for driver in sorted({name for each in needs for name in each}):
        most = limits(layout.rows, driver, layout.cluster)
        limited = most < UNLIMITED
        if limited.any():
            each, left = tuple(need[driver] for need in needs), layout.ground.attached.left(driver)
            capacity = np.where(limited, most, sum(each)).tolist()
            yield _Row(driver, each, tuple(capacity), tuple(np.where(limited, left, sum(each)).tolist()))
