"""The items of a problem in their order, and the ground that they are placed on; forbids nothing yet.

The ground is the cluster without its items: whoever stands on it is a constant.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from descheduler.optimiser.problem import Domains
from descheduler.planning.problems.fates import Fates
from policies.feasibility.attachments import without_users
from policies.feasibility.crowd import Crowd
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.rows import Rows
from policies.rails.situation import Situation
from policies.rails.view import View
from policies.values.clusters import Cluster
from policies.values.pods import Pod

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """`pods` are the items: first those that run, then the victims that must leave, then those that wait."""

    situation: Situation
    fates: Fates
    pods: tuple[Pod, ...]

    @staticmethod
    def of(situation: Situation, fates: Fates) -> "Layout":
        """Return the layout of all pods that may be placed or moved."""
        return Layout(situation=situation, fates=fates, pods=(*fates.movable, *fates.leaving, *fates.pending))

    def without(self, left_out: Iterable[str]) -> "Layout":
        """Return the layout with some pending pods fewer, by UID."""
        gone = set(left_out)
        return replace(self, pods=tuple(pod for pod in self.pods if pod.uid not in gone))

    @property
    def cluster(self) -> Cluster:
        """The snapshot below it all."""
        return self.situation.cluster

    @cached_property
    def everybody(self) -> Occupancy:
        """The nodes with everybody who stands there now, items included."""
        return Occupancy(self.situation.view)

    @cached_property
    def ground(self) -> Occupancy:
        """The nodes with those only who stay."""
        standing = {pod.uid: pod for pod in self.fates.standing}
        left = without_users(self.cluster, self.pods)
        return Occupancy(View(replace(self.cluster, pods=standing, volume_attachments=left), ()))

    @property
    def rows(self) -> Rows:
        """The nodes in the order of the problem's sites."""
        return self.everybody.rows

    @cached_property
    def must_leave(self) -> frozenset[str]:
        """The UIDs of the victims of a relief."""
        return frozenset(pod.uid for pod in self.fates.leaving)

    @cached_property
    def crowd(self) -> Crowd:
        """All items, found by what affinity terms say of them."""
        return Crowd(self.cluster, self.pods)

    @cached_property
    def number(self) -> Mapping[str, int]:
        """The number of each item, by UID."""
        return {pod.uid: at for at, pod in enumerate(self.pods)}

    def numbers(self, pods: Iterable[Pod]) -> tuple[int, ...]:
        """Return the numbers of some items, in their order."""
        return tuple(sorted(self.number[pod.uid] for pod in pods))

    def domains(self, key: str) -> Domains:
        """Return the domain of each site under a topology key: one object for all constraints over it."""
        if key not in self._domains:
            self._domains[key] = tuple(self.rows.codes(key).tolist())
        return self._domains[key]

    @cached_property
    def _domains(self) -> dict[str, Domains]:
        return {}

    def row_of(self, pod: Pod) -> int | None:
        """Return the site an item runs on, None while it waits."""
        return None if pod.node is None else self.rows.row[pod.node]


def grouped(pairs: Iterable[tuple[Key, int]]) -> Mapping[Key, tuple[int, ...]]:
    """Return the numbers under each key, keys in the order in which they first came."""
    groups: dict[Key, list[int]] = {}
    for key, number in pairs:
        groups.setdefault(key, []).append(number)
    return {key: tuple(numbers) for key, numbers in groups.items()}
