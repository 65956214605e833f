"""Nodes that fill up and run empty under a scheduler that scores LeastAllocated and never preempts; draws nothing.

Made anew for snapshots of thousands of nodes: each pod costs one look at arrays. What it leaves is a `Problem`.
"""

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from operator import le

import numpy as np
from numpy.typing import NDArray

from bench.placements.sizes import RESOURCES, Workload
from descheduler.optimiser.problem import Item, Problem, Site


@dataclass(slots=True, eq=False)
class Pod:
    """A pod of a workload; `node` None while it is pending, `number` in order of creation."""

    number: int
    workload: Workload
    node: int | None = None


@dataclass(slots=True)
class Fleet:
    """All nodes, running and pending pods. Pending pods wait by tier, the older first."""

    capacity: NDArray[np.int64]
    free: NDArray[np.int64] = field(init=False)
    pods: dict[int, Pod] = field(default_factory=dict)
    pending: list[Pod] = field(default_factory=list)
    made: int = 0

    def __post_init__(self) -> None:
        self.free = self.capacity.copy()

    @staticmethod
    def of(count: int, shape: tuple[int, ...]) -> "Fleet":
        """Return so many empty nodes of one shape."""
        return Fleet(np.tile(np.array(shape, np.int64), (count, 1)))

    def add(self, workload: Workload) -> list[Pod]:
        """Create a workload's pods; those that fit nowhere wait."""
        pods = [Pod(self.made + at, workload) for at in range(workload.replicas)]
        self.made += len(pods)
        for pod in pods:
            self.pods[pod.number] = pod
            if not self.place(pod):
                insort(self.pending, pod, key=_turn)
        return pods

    def remove(self, pods: Iterable[Pod]) -> None:
        """Delete pods, and let those that wait have the room."""
        touched: set[int] = set()
        for pod in pods:
            del self.pods[pod.number]
            if pod.node is None:
                self.pending.remove(pod)
            else:
                self.free[pod.node] += pod.workload.requests
                touched.add(pod.node)
        self._retry(sorted(touched))

    def place(self, pod: Pod, *, among: list[int] | None = None) -> bool:
        """Put a pod on the fitting node that is left with most free; the first of equals."""
        nodes = slice(None) if among is None else among
        left = self.free[nodes] - np.array(pod.workload.requests, np.int64)
        fits = (left >= 0).all(axis=1)
        if not fits.any():
            return False
        shares = (left / np.maximum(self.capacity[nodes], 1)).sum(axis=1)
        best = int(np.argmax(np.where(fits, shares, -np.inf)))
        pod.node = best if among is None else among[best]
        self.free[pod.node] -= pod.workload.requests
        return True

    def demand(self) -> float:
        """Return the larger of CPU and memory asked for by all pods, over the capacity."""
        asked = (self.capacity - self.free).sum(axis=0) + self._waiting()
        return float((asked / self.capacity.sum(axis=0)).max())

    def _waiting(self) -> NDArray[np.int64]:
        sizes = [pod.workload.requests for pod in self.pending]
        return np.array(sizes, np.int64).sum(axis=0) if sizes else np.zeros(self.capacity.shape[1], np.int64)

    def _retry(self, touched: list[int]) -> None:
        room: dict[int, list[int]] = {node: self.free[node].tolist() for node in touched}
        placed: list[Pod] = []
        for pod in self.pending:
            fitting = [node for node, free in room.items() if all(map(le, pod.workload.requests, free))]
            if fitting and self.place(pod, among=fitting) and pod.node is not None:
                room[pod.node] = self.free[pod.node].tolist()
                placed.append(pod)
        for pod in placed:
            self.pending.remove(pod)


def _turn(pod: Pod) -> tuple[int, int]:
    return pod.workload.tier, pod.number


def problem_of(fleet: Fleet, *, tiers: int, resources: tuple[str, ...] = RESOURCES) -> Problem:
    """Return the placement problem at this moment; running pods come first, each in order of creation."""
    sites = tuple(
        Site(name=f"n{at}", room=tuple(shape), allocatable=tuple(shape))
        for at, shape in enumerate(fleet.capacity.tolist())
    )
    ordered = sorted(fleet.pods.values(), key=lambda pod: (pod.node is None, pod.number))
    return Problem(
        resources=resources,
        sites=sites,
        items=tuple(item_of(pod) for pod in ordered),
        eligibility=(tuple(range(len(sites))),),
        tiers=tiers,
    )


def item_of(pod: Pod) -> Item:
    """Return a pod as an item that may go anywhere; older ones keep their place first."""
    workload = pod.workload
    return Item(
        key=f"{workload.name}-{pod.number}",
        requests=workload.requests,
        tier=workload.tier,
        eligible=0,
        node=pod.node,
        owner=workload.name,
        keep_first=-float(pod.number),
    )


def named(problem: Problem, **changes: object) -> Problem:
    """Return the problem with fields changed."""
    return replace(problem, **changes)  # type: ignore[arg-type]  # the caller names fields of Problem
