"""What became of earlier evictions, read off a snapshot: where the replacement landed, whether it is ready.

Pure: takes records and a cluster, returns changed verifications. Whichever run comes next calls it and writes them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from descheduler import recording
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.records import EvictionRecord, Landing, Verification
from policies.values.workloads import WorkloadRef

# Several API servers stamp by clocks of their own, cut to whole seconds: a replacement may look older than the record.
_CLOCKS_APART: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long (s) a replacement must have been ready, and how long all of it may take."""

    ready_for: float
    timeout: float


def verify(
    records: Iterable[EvictionRecord], cluster: Cluster, patience: Patience
) -> tuple[tuple[EvictionRecord, Verification], ...]:
    """Return the open records of which something new is known, each with its new verification."""
    records = sorted(records, key=lambda record: (record.at, record.name))
    if kinds.PODS in cluster.unreadable:
        return ()
    search = _Search(cluster, records)
    found = []
    for record in records:
        if recording.is_open(record):
            verification = _look(record, search, patience)
            if verification != record.verification:
                found.append((record, verification))
    return tuple(found)


def _look(record: EvictionRecord, search: "_Search", patience: Patience) -> Verification:
    cluster = search.cluster
    late = cluster.now - record.at >= patience.timeout
    pending = replace(record.verification, landing=Landing.TIMED_OUT) if late else record.verification
    old = cluster.pods.get(record.pod_uid)
    if old is not None and not old.ended and not old.terminating:
        return pending
    pod = search.replacement(record)
    if pod is None:
        gone = replace(record.verification, landing=Landing.SCALED_DOWN)
        return gone if search.needs_none(record) else pending
    seen = replace(pending, replacement=pod.name, replacement_uid=pod.uid, node=pod.node)
    return _judge(seen, pod, record, cluster.now - patience.ready_for)


def _judge(seen: Verification, pod: Pod, record: EvictionRecord, ready_before: float) -> Verification:
    ready_at = pod.ready_since if pod.ready else None
    if pod.node == record.node:
        return replace(seen, landing=Landing.RETURNED, ready_at=ready_at)
    if pod.node is not None and ready_at is not None and ready_at <= ready_before:
        return replace(seen, landing=Landing.MOVED, ready_at=ready_at)
    return replace(seen, ready_at=ready_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How things stand now: headroom by node, slack by pod UID; what is not known is left out."""

    headroom: Mapping[str, float]
    slack: Mapping[str, float]


def unmeasured(records: Iterable[EvictionRecord], *, now: float, settled_after: float) -> tuple[EvictionRecord, ...]:
    """Return the landed records whose figures can be taken now and were not yet.

    `settled_after` is how long (s) after a replacement became ready every sample rests on the new placement alone.
    """
    landed = {Landing.MOVED, Landing.RETURNED}
    return tuple(
        record
        for record in records
        if (seen := record.verification).landing in landed
        and seen.before
        and not seen.after
        and seen.ready_at is not None
        and now - seen.ready_at >= settled_after
    )


def measure(records: Iterable[EvictionRecord], figures: Figures) -> tuple[tuple[EvictionRecord, Verification], ...]:
    """Return the records with the figures that are known, under the names of those taken before."""
    found = []
    for record in records:
        seen = record.verification
        after = {name: figure for name, figure in _after(record, figures).items() if name in seen.before}
        if after:
            found.append((record, replace(seen, after=after)))
    return tuple(found)


def _after(record: EvictionRecord, figures: Figures) -> dict[str, float]:
    headroom = figures.headroom.get(record.node)
    slack = figures.slack.get(record.verification.replacement_uid or "")
    both = {"headroom": headroom, "slack": slack}
    return {name: figure for name, figure in both.items() if figure is not None}


class _Search:
    """Finds each record's replacement once: a pod replaces one victim only."""

    def __init__(self, cluster: Cluster, records: list[EvictionRecord]) -> None:
        self.cluster = cluster
        self._evicted = {record.pod_uid for record in records if record.counts}
        known = (record.verification.replacement_uid for record in records)
        self._claimed: set[str] = {uid for uid in known if uid is not None}
        self._pods_of = self._grouped(records)

    def _grouped(self, records: list[EvictionRecord]) -> Mapping[WorkloadRef | None, list[Pod]]:
        wanted = {_owner(record) for record in records if recording.is_open(record)} - {None}
        groups: dict[WorkloadRef | None, list[Pod]] = {owner: [] for owner in wanted}
        if not wanted:
            return groups
        for uid, owner in self.cluster.workload_of.items():
            pod = self.cluster.pods.get(uid) if owner in groups else None
            if pod is not None and not pod.ended and not pod.terminating:
                groups[owner].append(pod)
        return groups

    def replacement(self, record: EvictionRecord) -> Pod | None:
        """Return the pod that took the victim's place, None while there is none."""
        uid = record.verification.replacement_uid
        known = None if uid is None else self.cluster.pods.get(uid)
        if known is not None and not known.ended:
            return known
        fits = [pod for pod in self._pods_of.get(_owner(record), ()) if self._fits(pod, record)]
        best = min(fits, key=lambda pod: _order(pod, record), default=None)
        if best is not None:
            self._claimed.add(best.uid)
        return best

    def _fits(self, pod: Pod, record: EvictionRecord) -> bool:
        if pod.uid in self._claimed or pod.uid in self._evicted or pod.created_at < record.at - _CLOCKS_APART:
            return False
        ordinal = record.controller is not None and record.controller.kind == "StatefulSet"
        return pod.name == record.pod or not ordinal

    def needs_none(self, record: EvictionRecord) -> bool:
        """Tell whether the workload has all the pods it wants without a replacement, or is gone itself."""
        owner = _owner(record)
        if owner is None or kinds.LISTS_OF.get(owner.kind, "") in self.cluster.unreadable:
            return False
        workload = self.cluster.workloads.get(owner)
        living = len(self._pods_of.get(owner, ()))
        if workload is None:
            return living == 0
        return workload.wanted is not None and living >= workload.wanted


def _order(pod: Pod, record: EvictionRecord) -> tuple[bool, bool, float, str]:
    """A StatefulSet gives the name again; elsewhere it is the oldest pod that is younger than the record."""
    return pod.name != record.pod, pod.created_at < record.at, pod.created_at, pod.name


def _owner(record: EvictionRecord) -> WorkloadRef | None:
    return record.workload or record.controller
