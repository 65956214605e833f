"""Who stands on which node, and what the cycle's decisions and the moves in flight take there besides.

A working copy for one decision: `place` adds to it. Nothing is ever freed, as a victim's room is only free once it
has gone: a decision that counted on it would evict the next pod for room that is not there.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from policies.feasibility.attached import Attached
from policies.feasibility.attachments import attached as standing
from policies.feasibility.crowd import Crowd
from policies.feasibility.rows import Mask, Rows
from policies.rails.view import View
from policies.values.clusters import Cluster
from policies.values.pods import Pod

Amounts = NDArray[np.int64]


class Occupancy:
    """The nodes as rows, what each has left, and who stands there; everything is counted when it is asked for."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.rows = Rows(view.cluster.nodes)
        self._planned: dict[str, list[Pod]] = {}
        self._leaving: set[str] = set()
        self._free: dict[str, Amounts] = {}
        self._masks: dict[Hashable, Mask] = {}

    @property
    def cluster(self) -> Cluster:
        """The snapshot below it all."""
        return self.view.cluster

    def place(self, pod: Pod, node: str) -> None:
        """Take the room of a pod like this on a node, for a replacement that is expected there."""
        coming = replace(pod, uid=f"{pod.uid}+", node=node, terminating=False)
        self._planned.setdefault(node, []).append(coming)
        for resource, left in self._free.items():
            left[self.rows.row[node]] -= coming.requests[resource]
        if "crowd" in self.__dict__:
            self.crowd.add(coming)
        if "attached" in self.__dict__:
            self.attached.add_alike(self.rows.row[node], coming)

    def leave(self, pod: Pod) -> None:
        """Note that a pod will go: nobody may rely on it, though its room is not free yet."""
        self._leaving.add(pod.uid)

    def stays(self, pod: Pod) -> bool:
        """Tell whether others may rely on a pod being where it is."""
        return not pod.terminating and pod.uid not in self._leaving

    def on(self, node: str) -> Iterator[Pod]:
        """Return the pods that take room on a node, the planned ones included."""
        yield from self.view.pods_on.get(node, ())
        yield from self._planned.get(node, ())

    def row_of(self, pod: Pod) -> int:
        """Return the row of the node a bound pod stands on."""
        return self.rows.row[pod.node or ""]

    @cached_property
    def crowd(self) -> Crowd:
        """All pods that stand on a known node."""
        return Crowd(self.cluster, (pod for node in self.rows.row for pod in self.on(node)))

    @cached_property
    def attached(self) -> Attached:
        """The volumes that stand attached to the nodes for the sake of their pods."""
        attached = Attached(self.rows, self.cluster)
        for row, node in enumerate(self.rows.nodes):
            for pod in self.view.pods_on.get(node.name, ()):
                attached.add(row, pod)
            for pod in self._planned.get(node.name, ()):
                attached.add_alike(row, pod)
        for name, volume in standing(self.cluster):
            if name in self.rows.row:
                attached.add_lingering(self.rows.row[name], volume)
        return attached

    def free(self, resource: str) -> Amounts:
        """Return what each node has left of a resource by requests, negative where it is over its capacity."""
        if resource not in self._free:
            room = np.array([node.allocatable[resource] for node in self.rows.nodes], np.int64)
            self._free[resource] = room - np.array(self._used.get(resource, 0), np.int64) - self.planned(resource)
        return self._free[resource]

    def planned(self, resource: str) -> Amounts:
        """Return how much of a resource planned moves take on each node."""
        taken = (self._planned.get(node.name, ()) for node in self.rows.nodes)
        return np.array([sum(pod.requests[resource] for pod in pods) for pods in taken], np.int64)

    @cached_property
    def _used(self) -> Mapping[str, list[int]]:
        """What the pods of the snapshot request on each node, of every resource in one pass."""
        used: dict[str, list[int]] = {}
        for row, node in enumerate(self.rows.nodes):
            for pod in self.view.pods_on.get(node.name, ()):
                for resource, amount in pod.requests.amounts.items():
                    used.setdefault(resource, [0] * len(self.rows.nodes))[row] += amount
        return used

    def mask(self, key: Hashable, make: Callable[[], Mask]) -> Mask:
        """Return a mask that depends on nodes alone, made once for all pods that ask with the same key."""
        if key not in self._masks:
            self._masks[key] = make()
        return self._masks[key]
