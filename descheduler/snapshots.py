"""Where a cycle's clusters come from: the watch of a loop, or the lists of a single run; decides nothing."""

from dataclasses import dataclass, field
from typing import Final

from policies.values.candidates import Victim
from policies.values.clusters import Cluster
from sources.clocks import Clock
from sources.kube import listing
from sources.kube.api import KubeApi
from sources.kube.cluster_watch import ClusterWatch
from sources.kube.refreshing import Focus

# A list of ten thousand pods costs seconds: several victims of one run share it when they follow each other at once.
_FRESH_FOR: Final = 5.0


@dataclass(frozen=True, slots=True)
class WatchedClusters:
    """Snapshots of a watch, which are as new as its newest event: good to decide on, not to act on."""

    watch: ClusterWatch

    def snapshot(self) -> Cluster:
        """Return the cluster as last seen."""
        return self.watch.snapshot()

    def fresh(self, victim: Victim) -> Cluster:
        """Return the same, but what this eviction rests on read anew: a watch may be silent for a minute unnoticed.

        Raises:
            ApiError: something of it could not be read.
        """
        candidate = victim.candidate
        focus = Focus(pod=candidate.pod, workload=candidate.workload, destination=victim.destination)
        return self.watch.refreshed(focus)


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

    def fresh(self, _victim: Victim) -> Cluster:
        """Return the last fresh list if it was begun a moment ago, else a new one; never what `snapshot` gave.

        Raises:
            ApiError: nothing at all can be read.
        """
        began = self.clock.monotonic()
        if self._last is None or began - self._last[0] >= _FRESH_FOR:
            self._last = began, listing.list_cluster(self.api)
        return self._last[1]
