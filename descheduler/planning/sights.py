"""How plans see the cluster in the two lives of the process: through a watch, or by lists; decides nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from descheduler.planning.following import Followed
from descheduler.planning.tooling import Look
from descheduler.snapshots import WatchedClusters
from policies.values import kinds
from policies.values.candidates import Victim
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from sources.clocks import Clock
from sources.kube import errors, listing
from sources.kube.api import KubeApi
from sources.kube.cluster_watch import Change, ClusterWatch

# Without a watch a plan that waits lists the cluster again and again: once a second is enough to wait with, and where
# one list takes long, a fifth of the time.
_LIST_EVERY: Final = 1.0
_LISTS_FOR: Final = 0.2


@dataclass(slots=True)
class WatchedSight:
    """The watch of the loop; what must be new is listed."""

    watch: ClusterWatch
    api: KubeApi
    clock: Clock
    _followed: Followed | None = field(default=None, init=False)

    def snapshot(self) -> Cluster:
        """Return the cluster as last heard of."""
        return self.watch.snapshot()

    @contextmanager
    def following(self, plan: Plan) -> Iterator[Look]:
        """Keep up what surrounds a plan, from change to change."""
        followed = self._followed = Followed(self.watch, plan, self.clock)
        try:
            yield followed
        finally:
            self._followed = None

    def heard(self, change: Change) -> None:
        """Listen to the watch."""
        followed = self._followed
        if followed is not None:
            followed.heard(change)

    def fresh(self, victim: Victim) -> Cluster:
        """Return the same, but what this eviction rests on read anew.

        Raises:
            ApiError: something of it could not be read.
        """
        return WatchedClusters(self.watch).fresh(victim)

    def consistent(self) -> Cluster:
        """List the whole cluster.

        Raises:
            ApiError: nothing at all can be read.
        """
        return listing.list_cluster(self.api, server_time=self.watch.server_time)

    def now(self) -> float:
        """Return the API server's time."""
        return self.watch.server_time.now()


@dataclass(slots=True)
class ListedSight:
    """Lists only; what is good to wait with is up to a second old."""

    api: KubeApi
    clock: Clock
    _last: tuple[float, Cluster] | None = field(default=None, init=False)
    _took: float = field(default=0.0, init=False)

    def snapshot(self) -> Cluster:
        """Return the last list, or a new one; pods and nodes that cannot be listed any more are unreadable.

        Raises:
            ApiError: nothing has ever been read.
        """
        good_for = max(_LIST_EVERY, self._took / _LISTS_FOR)
        if self._last is not None and self.clock.monotonic() - self._last[0] < good_for:
            return self._last[1]
        try:
            return self.consistent()
        except errors.ApiError as error:
            if self._last is None:
                raise
            unreadable = dict.fromkeys((kinds.PODS, kinds.NODES), str(error))
            return replace(self._last[1], unreadable=unreadable)  # nobody knows, and one asks again at once

    @contextmanager
    def following(self, plan: Plan) -> Iterator[Look]:  # noqa: ARG002  # who lists, lists everything
        """Look at the last list."""
        yield self.snapshot

    def heard(self, change: Change) -> None:
        """Hear nothing: there is no watch."""

    def fresh(self, _victim: Victim) -> Cluster:
        """List the cluster for one eviction, never what an earlier one was judged by.

        Raises:
            ApiError: nothing at all can be read.
        """
        return self.consistent()

    def consistent(self) -> Cluster:
        """List the whole cluster.

        Raises:
            ApiError: nothing at all can be read.
        """
        began = self.clock.monotonic()
        cluster = listing.list_cluster(self.api)
        self._last, self._took = (began, cluster), self.clock.monotonic() - began
        return cluster

    def now(self) -> float:
        """Return the API server's time, as far as it is known."""
        if self._last is None:
            return self.clock.now()
        return self._last[1].now + self.clock.monotonic() - self._last[0]
