"""Where a cycle's clusters come from: the watch of a loop, or the lists of a single run; decides nothing."""

from dataclasses import dataclass, field
from typing import Final

from policies.values.clusters import Cluster
from sources.clocks import Clock
from sources.kube import listing
from sources.kube.api import KubeApi
from sources.kube.cluster_watch import ClusterWatch

# A list of ten thousand pods costs seconds: several victims of one run share it when they follow each other at once.
_FRESH_FOR: Final = 5.0


@dataclass(frozen=True, slots=True)
class WatchedClusters:
    """Snapshots of a watch, which are as new as its newest event."""

    watch: ClusterWatch

    def snapshot(self) -> Cluster:
        """Return the cluster as last seen."""
        return self.watch.snapshot()

    def fresh(self) -> Cluster:
        """Return the same: a watch is at most moments behind, and says so where it is not."""
        return self.watch.snapshot()


@dataclass(slots=True)
class ListedClusters:
    """Snapshots by listing everything."""

    api: KubeApi
    clock: Clock
    _last: tuple[float, Cluster] | None = field(default=None, init=False)

    def snapshot(self) -> Cluster:
        """List the cluster.

        Raises:
            ApiError: nothing at all can be read.
        """
        return listing.list_cluster(self.api)

    def fresh(self) -> Cluster:
        """Return the last fresh list if it was begun a moment ago, else a new one; never what `snapshot` gave.

        Raises:
            ApiError: nothing at all can be read.
        """
        began = self.clock.monotonic()
        if self._last is None or began - self._last[0] >= _FRESH_FOR:
            self._last = began, listing.list_cluster(self.api)
        return self._last[1]
