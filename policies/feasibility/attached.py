"""Which volumes of each CSI driver stand attached to which node, as far as pods tell, and what is left; closes no node.

A working copy like the occupancy it belongs to: pods are added to it, nothing is ever detached.
"""

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from policies.feasibility.attachments import alike, attachments, limits
from policies.feasibility.rows import Mask, Rows
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.volumes import Attachment

Counts = NDArray[np.int64]


class Attached:
    """The nodes, by row, of each volume, and how many volumes of each driver a node has: each volume once a node."""

    def __init__(self, rows: Rows, cluster: Cluster) -> None:
        self._nodes, self._cluster = rows, cluster
        self._rows: dict[Attachment, set[int]] = {}
        self._used: dict[str, Counts] = {}
        self._limits: dict[str, Counts] = {}

    def add(self, row: int, pod: Pod) -> None:
        """Attach the volumes of a pod that stands on a node."""
        self._attach(row, attachments(pod, self._cluster))

    def add_alike(self, row: int, pod: Pod) -> None:
        """Attach volumes for somebody who is like a pod: as many of the same drivers, but shared with nobody."""
        self._attach(row, alike(pod, self._cluster, of=pod.uid))

    def add_lingering(self, row: int, volume: Attachment) -> None:
        """Count a volume that is attached though none of the node's pods uses it: it takes a slot and spares none."""
        if row not in self._rows.get(volume, ()):
            self._count(row, volume)

    def used(self, driver: str) -> Counts:
        """Return how many volumes of a driver each node has."""
        return self._used.get(driver, np.zeros(len(self._nodes.nodes), np.int64))

    def left(self, driver: str) -> Counts:
        """Return how many volumes more of a driver each node can attach, negative where it has too many."""
        if driver not in self._limits:
            self._limits[driver] = limits(self._nodes, driver, self._cluster)
        return self._limits[driver] - self.used(driver)

    def full(self, driver: str, volumes: Collection[Attachment]) -> Mask:
        """Return the nodes that cannot attach some volumes of a driver; one that has them all need not."""
        new = np.full(len(self._nodes.nodes), len(volumes), np.int64)
        for volume in volumes:
            new[list(self._rows.get(volume, ()))] -= 1
        return np.asarray((new > 0) & (new > self.left(driver)))

    def _attach(self, row: int, volumes: Iterable[Attachment]) -> None:
        for volume in volumes:
            rows = self._rows.setdefault(volume, set())
            if row not in rows:
                rows.add(row)
                self._count(row, volume)

    def _count(self, row: int, volume: Attachment) -> None:
        self._used.setdefault(volume.driver, np.zeros(len(self._nodes.nodes), np.int64))[row] += 1
