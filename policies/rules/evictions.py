"""What the ledger's evictions took off their nodes, for the correction of evaluations older than they are."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from policies.buoyancy.corrections import Departure
from policies.rules.evidence import grace_in, pod_scores_in
from policies.values.clusters import Cluster
from policies.values.records import EvictionRecord
from policies.values.workloads import WorkloadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Evictions:
    """The evictions that took somebody off a node, and when the last one hit each node and each workload."""

    departures: tuple[Departure, ...] = ()
    last_by_node: Mapping[str, float] = field(default_factory=dict)
    last_by_workload: Mapping[WorkloadRef, float] = field(default_factory=dict)


def read_ledger(records: Iterable[EvictionRecord], cluster: Cluster) -> Evictions:
    """Return the evictions that count. A pod that is still ending has not left any evaluation yet.

    When one that is gone really left is not in the ledger: at the end of its grace at the latest. Too late is right:
    load that is believed to have gone earlier than it did would cost the node another pod.

    An observed eviction took nothing off its node, and a refused one neither. An Intent or an Unknown may have: it
    is believed, so that nobody is evicted twice for one load.
    """
    by_node: dict[str, float] = {}
    by_workload: dict[WorkloadRef, float] = {}
    found: list[Departure] = []
    for record in records:
        if not record.counts:
            continue
        left_at = _left_at(record, cluster)
        found.append(Departure(node=record.node, at=left_at, scores=pod_scores_in(record.evidence)))
        by_node[record.node] = max(record.at, by_node.get(record.node, -math.inf))
        if record.workload is not None:
            by_workload[record.workload] = max(record.at, by_workload.get(record.workload, -math.inf))
    return Evictions(departures=tuple(found), last_by_node=by_node, last_by_workload=by_workload)


def _left_at(record: EvictionRecord, cluster: Cluster) -> float:
    pod = cluster.pods.get(record.pod_uid)
    if pod is None or pod.ended:
        return max(record.at, min(record.at + grace_in(record.evidence), cluster.now))
    return math.inf if pod.terminating else record.at
