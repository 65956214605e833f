"""Decoded objects of every kind put together as one `Cluster`; pure, it reads nothing.

Here pods find their workloads: a ReplicaSet's pods belong to the Deployment above it, a Job's to the CronJob.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.workloads import Workload, WorkloadRef
from sources.kube.decoding.workloads import Controller

_TEMPLATE_HASH: Final = "pod-template-hash"
_CLIMBING: Final = {"ReplicaSet": kinds.REPLICA_SETS, "Job": kinds.JOBS}  # controllers that somebody may own
_CONTROLLERS: Final = (
    kinds.DEPLOYMENTS,
    kinds.REPLICA_SETS,
    kinds.STATEFUL_SETS,
    kinds.DAEMON_SETS,
    kinds.JOBS,
)
Stores = Mapping[str, Mapping[str, Any]]
"""Decoded objects by kind and key."""
Find = Callable[[str, str], Any]
"""Gives one decoded object by kind and key, None where there is none."""


def assemble(
    stores: Stores, *, now: float, unreadable: Mapping[str, str], skipped: Mapping[str, Mapping[str, str]]
) -> Cluster:
    """Return the cluster. A malformed PDB makes all of them unreadable: it may be the one that protects.

    So does a malformed CSINode, as a node without one has no attach limits, a CSIDriver and a VolumeAttachment.
    """
    pods: Mapping[str, Pod] = stores.get(kinds.PODS, {})
    for kind in (kinds.PDBS, kinds.CSI_NODES, kinds.CSI_DRIVERS, kinds.VOLUME_ATTACHMENTS):
        broken = skipped.get(kind)
        if broken:
            unreadable = {kind: f"malformed: {'; '.join(broken.values())}", **unreadable}
    return Cluster(
        now=now,
        nodes=stores.get(kinds.NODES, {}),
        pods=pods,
        workloads=workloads_of(stores),
        workload_of=_owners(pods.values(), stores),
        pdbs=tuple(stores.get(kinds.PDBS, {}).values()),
        claims=stores.get(kinds.CLAIMS, {}),
        volumes=stores.get(kinds.VOLUMES, {}),
        storage_classes=stores.get(kinds.STORAGE_CLASSES, {}),
        csi_nodes=stores.get(kinds.CSI_NODES, {}),
        csi_drivers=stores.get(kinds.CSI_DRIVERS, {}),
        volume_attachments=stores.get(kinds.VOLUME_ATTACHMENTS, {}),
        namespace_labels=stores.get(kinds.NAMESPACES, {}),
        unreadable=dict(unreadable),
    )


def workload_of(pod: Pod, find: Find) -> WorkloadRef | None:
    """Return whom a pod belongs to, None for a bare pod and where the owner's owner is not known."""
    owner = pod.owner
    if owner is None:
        return None
    climbing = _CLIMBING.get(owner.kind)
    if climbing is None:
        return WorkloadRef(owner.kind, pod.namespace, owner.name)
    controller: Controller | None = find(climbing, f"{pod.namespace}/{owner.name}")
    if controller is not None:
        return _top(controller)
    return _by_template_hash(pod, owner.name)


def _top(controller: Controller) -> WorkloadRef:
    if controller.owner is None or controller.workload.ref.kind not in _CLIMBING:
        return controller.workload.ref
    return WorkloadRef(controller.owner.kind, controller.workload.ref.namespace, controller.owner.name)


def _by_template_hash(pod: Pod, controller: str) -> WorkloadRef | None:
    """A Deployment names its ReplicaSets `<name>-<hash>` and labels the pods with the hash.

    That tells the owner of a pod whose ReplicaSet has not been seen yet (the watches run on their own).
    """
    suffix = f"-{pod.labels.get(_TEMPLATE_HASH) or ''}"
    if suffix == "-" or not controller.endswith(suffix):
        return None
    return WorkloadRef("Deployment", pod.namespace, controller.removesuffix(suffix))


def _owners(pods: Iterable[Pod], stores: Stores) -> dict[str, WorkloadRef]:
    def find(kind: str, key: str) -> Any:  # noqa: ANN401  # an object of that kind
        return stores.get(kind, {}).get(key)

    known: dict[tuple[str, int], WorkloadRef | None] = {}  # by namespace and owner, which its pods share as one object
    found: dict[str, WorkloadRef] = {}
    for pod in pods:
        if pod.owner is None:
            continue
        key = (pod.namespace, id(pod.owner))
        if key not in known:
            known[key] = workload_of(pod, find)
        ref = known[key]
        if ref is not None:
            found[pod.uid] = ref
    return found


def workloads_of(stores: Stores) -> dict[WorkloadRef, Workload]:
    """Return every workload; one that is known only as an owner is made of the controllers below it."""
    found: dict[WorkloadRef, Workload] = {}
    below: dict[WorkloadRef, list[Workload]] = {}
    for name in _CONTROLLERS:
        for controller in stores.get(name, {}).values():
            ref = _top(controller)
            if ref == controller.workload.ref:
                found[ref] = controller.workload
            else:
                below.setdefault(ref, []).append(controller.workload)
    for ref, controllers in below.items():
        if ref not in found and ref.kind != "Deployment":
            found[ref] = _made_of(ref, controllers)
    return found


def _made_of(ref: WorkloadRef, controllers: list[Workload]) -> Workload:
    """Return a workload of a kind that is not read (an Argo Rollout, a CronJob), as its controllers show it."""
    wanted = [one.wanted for one in controllers if one.wanted]
    rollouts = [one.rollout for one in controllers if one.rollout is not None]
    if len(wanted) > 1:
        rollouts.insert(0, f"{len(wanted)} of its ReplicaSets want pods")
    return Workload(ref=ref, wanted=sum(wanted) if wanted else None, rollout=rollouts[0] if rollouts else None)
