"""Which nodes a workload was just evicted from: its replacement is kept off them while there is another node."""

from collections.abc import Iterable, Mapping
from typing import Final

from policies.placement.reasons import Reason
from policies.placement.views import Field, View
from policies.values.pods import Owner, Pod
from policies.values.records import EvictionRecord, RecordState
from policies.values.workloads import WorkloadRef

# A definite refusal evicted nobody and an observation never does. An Unknown may have: the call can still arrive.
STEERING_STATES: Final = frozenset({RecordState.INTENT, RecordState.ACCEPTED, RecordState.UNKNOWN})
_HASH_LABEL: Final = "pod-template-hash"


def owners(pod: Pod) -> tuple[WorkloadRef, ...]:
    """Name the controller of a pod and, for the ReplicaSet of a Deployment, the Deployment; nothing for a bare pod."""
    if pod.owner is None:
        return ()
    controller = WorkloadRef(pod.owner.kind, pod.namespace, pod.owner.name)
    deployment = _deployment(pod.owner, pod.labels.get(_HASH_LABEL))
    return (controller,) if deployment is None else (controller, WorkloadRef("Deployment", pod.namespace, deployment))


def workload_of(pod: Pod) -> str:
    """Return `namespace/name` of the topmost owner that is known, by which use is measured; of the pod if bare."""
    if pod.owner is None:
        return f"{pod.namespace}/{pod.name}"
    return f"{pod.namespace}/{_deployment(pod.owner, pod.labels.get(_HASH_LABEL)) or pod.owner.name}"


def _deployment(owner: Owner, template_hash: str | None) -> str | None:
    """Return the name of the Deployment above a pod's owner, None where there is none.

    A Deployment names its ReplicaSets `<its name>-<pod-template-hash>`; told from the pod's own label, the
    replacement is recognised before its ReplicaSet has been seen, and after a rollout that made another one.
    """
    if owner.kind != "ReplicaSet" or not template_hash or not owner.name.endswith(f"-{template_hash}"):
        return None
    return owner.name[: -len(template_hash) - 1]


def steers(record: EvictionRecord, *, now: float, avoid_source: float) -> bool:
    """Tell whether a record still keeps its workload off its node."""
    return record.state in STEERING_STATES and now < record.at + avoid_source


def steered_nodes(records: Iterable[EvictionRecord], *, now: float, avoid_source: float) -> Mapping[str, float]:
    """Return the nodes that the records of one workload steer it away from, each with its newest eviction's time."""
    nodes: dict[str, float] = {}
    for record in records:
        if steers(record, now=now, avoid_source=avoid_source):
            nodes[record.node] = max(record.at, nodes.get(record.node, record.at))
    return nodes


def check(_pod: Pod, field: Field, view: View) -> tuple[Reason, list[str]]:
    """Refuse the nodes that the workload was evicted from, but never the last name left.

    Where all of them are such nodes, the one evicted from longest ago stays.
    """
    shut = [name for name in view.steered if name in field.left]
    if len(shut) == len(field.left) and shut and not field.safe:
        shut.remove(min(shut, key=lambda name: (view.steered[name], name)))
    return Reason.STEERING, shut
