"""The items of a problem in their order, and the ground that they are placed on; forbids nothing yet.

The ground is the cluster without its items: whoever stands on it is a constant. A victim that must leave counts as
standing too, as its room is not given to others before it has gone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from descheduler.planning.problems.fates import Fates
from policies.feasibility.occupancy import Occupancy
from policies.feasibility.rows import Rows
from policies.rails.situation import Situation
from policies.rails.view import View
from policies.values.clusters import Cluster
from policies.values.pods import Pod


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
        standing = {pod.uid: pod for pod in (*self.fates.standing, *self.fates.leaving)}
        return Occupancy(View(replace(self.cluster, pods=standing), ()))

    @property
    def rows(self) -> Rows:
        """The nodes in the order of the problem's sites."""
        return self.everybody.rows

    @cached_property
    def must_leave(self) -> frozenset[str]:
        """The UIDs of the victims of a relief."""
        return frozenset(pod.uid for pod in self.fates.leaving)

    def stays(self, pod: Pod) -> bool:
        """Tell whether others may rely on somebody who stands on the ground."""
        return not pod.terminating and pod.uid not in self.must_leave

    def indices(self, test: Callable[[Pod], object]) -> tuple[int, ...]:
        """Return the items that pass a test."""
        return tuple(at for at, pod in enumerate(self.pods) if test(pod))

    def row_of(self, pod: Pod) -> int | None:
        """Return the site an item runs on, None while it waits."""
        return None if pod.node is None else self.rows.row[pod.node]


def grouped(pairs: Iterable[tuple[object, int]]) -> Mapping[object, tuple[int, ...]]:
    """Return the numbers under each key, keys in the order in which they first came."""
    groups: dict[object, list[int]] = {}
    for key, number in pairs:
        groups.setdefault(key, []).append(number)
    return {key: tuple(numbers) for key, numbers in groups.items()}
