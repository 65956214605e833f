"""What the owners of planned pods did since the plan was made: rolled out, scaled, or went; judges no node."""

from collections.abc import Mapping
from typing import Final

from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.plans import Headcount, Plan
from policies.values.workloads import Workload, WorkloadRef

# Set by the Deployment controller with each new template; scaling leaves it alone.
_REVISION: Final = "deployment.kubernetes.io/revision"
_UNKNOWN: Final = "unknown"


def rollout(plan: Plan, before: Cluster, now: Cluster) -> str | None:
    """Return which planned workload is getting another template, None where none is.

    Told from the workload's revision, or from pods of it that another controller made: a plan speaks of controllers.
    """
    workloads = dict.fromkeys(entry.workload for entry in plan.entries if entry.workload is not None)
    for planned in workloads:
        old, new = before.workloads.get(planned), now.workloads.get(planned)
        if old is not None and new is not None and _revision(old) != _revision(new):
            return _changed(planned, _revision(old), _revision(new))
    controllers = {entry.controller for entry in plan.entries}
    for uid in sorted(now.pods.keys() - before.pods.keys()):
        pod, ref = now.pods[uid], now.workload_of.get(uid)
        if ref not in workloads or pod.owner is None or pod.ended:
            continue
        if WorkloadRef(pod.owner.kind, pod.namespace, pod.owner.name) not in controllers:
            return f"{ref} is being rolled out: {pod} is a pod of {pod.owner.kind} {pod.owner.name}"
    return None


def _changed(planned: WorkloadRef, old: str, new: str) -> str:
    if new == _UNKNOWN:  # its controller has not seen to it yet
        return f"{planned} has no revision, as one that was made anew: it was {old} when the plan was made"
    return f"{planned} is being rolled out: revision {new}, {old} when the plan was made"


def _revision(workload: Workload) -> str:
    return workload.update_revision or workload.annotations.get(_REVISION, _UNKNOWN)


def growth(headcount: Headcount, workloads: Mapping[WorkloadRef, WorkloadRef], now: Cluster) -> int:
    """Return by how many replicas a controller was scaled since the plan was made, down being negative.

    `workloads` gives the workload above each controller. 0 where that is not known; all where the workload is gone.
    """
    if headcount.replicas is None:
        return 0
    ref = workloads.get(headcount.controller, headcount.controller)
    workload = now.workloads.get(ref)
    if workload is not None:
        return 0 if workload.wanted is None else workload.wanted - headcount.replicas
    listed = kinds.LISTS_OF.get(ref.kind)
    return 0 if listed is None or listed in now.unreadable else -headcount.replicas


def workloads_by_controller(plan: Plan) -> Mapping[WorkloadRef, WorkloadRef]:
    """Return the workload above each controller of a plan, as its entries name it."""
    return {
        entry.controller: entry.workload
        for entry in reversed(plan.entries)
        if entry.controller is not None and entry.workload is not None
    }
