"""What one eviction rests on, listed anew and laid over what the watches know; decides nothing.

A watch may be silent for a minute before anybody notices. Whatever protects a pod must be as new as the eviction: its
controllers, its namespace's budgets, its siblings, the nodes it leaves and goes to, who stands at its destination and,
for a pod with volumes, what is attached there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from policies.values import kinds as names
from policies.values.nodes import Node
from policies.values.pdbs import Pdb
from policies.values.pods import Pod
from policies.values.volumes import ATTACHMENTS, CsiDriver, CsiNode, VolumeAttachment
from policies.values.workloads import WorkloadRef
from sources.kube.api import KubeApi
from sources.kube.assembling import Stores
from sources.kube.decoding.workloads import Controller
from sources.kube.kinds import (
    CSI_DRIVERS,
    CSI_NODES,
    DEPLOYMENTS,
    NODES,
    PDBS,
    PODS,
    REPLICA_SETS,
    STATEFUL_SETS,
    VOLUME_ATTACHMENTS,
    Kind,
)
from sources.kube.listing import list_kind

_BY_KIND: Final[Mapping[str, Kind[Controller]]] = {
    "Deployment": DEPLOYMENTS,
    "ReplicaSet": REPLICA_SETS,
    "StatefulSet": STATEFUL_SETS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """Whom an eviction is about: the pod, the workload it is known to belong to, and where it is expected to go."""

    pod: Pod
    workload: WorkloadRef | None
    destination: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A part of one kind: how it is listed, and which of the known objects the list takes the place of."""

    kind: Kind[Any]
    select: Mapping[str, str]
    covers: Callable[[Any], bool]
    namespace: str | None = None

    @property
    def path(self) -> str:
        """Return where it is listed."""
        if self.namespace is None:
            return self.kind.path
        group, _, plural = self.kind.path.rpartition("/")
        return f"{group}/namespaces/{self.namespace}/{plural}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """The stores with everything about the focus as it is now, and the malformed objects on the way."""

    stores: Stores
    skipped: Mapping[str, Mapping[str, str]]


def refresh(api: KubeApi, stores: Stores, focus: Focus) -> Refreshed:
    """List what the focus rests on, and return it in place of what was known of it.

    Raises:
        ApiError: something of it could not be read.
    """
    fresh: dict[str, Mapping[str, Any]] = dict(stores)
    skipped: dict[str, dict[str, str]] = {}
    for part in _parts(fresh, focus):
        listed = list_kind(api, part.kind, path=part.path, select=part.select)
        known = fresh.get(part.kind.name, {})
        fresh[part.kind.name] = {key: one for key, one in known.items() if not part.covers(one)} | listed.values
        skipped.setdefault(part.kind.name, {}).update(listed.skipped)
    return Refreshed(stores=fresh, skipped=skipped)


def _parts(stores: Stores, focus: Focus) -> Iterator[_Part]:
    """Yield part after part; `stores` hold what the parts before have brought."""
    pod = focus.pod
    for name in dict.fromkeys(filter(None, (pod.node, focus.destination))):
        yield _Part(kind=NODES, select={"fieldSelector": f"metadata.name={name}"}, covers=_named(name))
    yield from _controllers(focus)
    yield _Part(kind=PDBS, select={}, covers=_in_namespace(pod.namespace), namespace=pod.namespace)
    yield _siblings(stores, pod)
    if focus.destination is not None and (pod.claims or pod.disks):
        select = {"fieldSelector": f"metadata.name={focus.destination}"}
        yield _Part(kind=CSI_NODES, select=select, covers=_named(focus.destination))
        yield _Part(kind=CSI_DRIVERS, select={}, covers=_any)
        if _limits(focus.destination, stores):
            # The API selects them by name only: those of one node cannot be asked for.
            yield _Part(kind=VOLUME_ATTACHMENTS, select={}, covers=_any)
    if focus.destination is not None:
        select = {"fieldSelector": f"spec.nodeName={focus.destination}"}
        yield _Part(kind=PODS, select=select, covers=_on(focus.destination))


def _limits(node: str, stores: Stores) -> bool:
    """Tell whether a node names any attach limit: where none is, nobody counts what is attached."""
    csi: CsiNode | None = stores.get(names.CSI_NODES, {}).get(node)
    itself: Node | None = stores.get(names.NODES, {}).get(node)
    amounts = () if itself is None else itself.allocatable.amounts
    return bool(csi is not None and csi.attachable) or any(name.startswith(ATTACHMENTS) for name in amounts)


def _controllers(focus: Focus) -> Iterator[_Part]:
    """Yield the pod's controller and its workload; of a kind that is not read, all ReplicaSets it may have."""
    owner, workload, namespace = focus.pod.owner, focus.workload, focus.pod.namespace
    known = [] if owner is None else [WorkloadRef(owner.kind, namespace, owner.name)]
    known += [] if workload is None or workload in known else [workload]
    for ref in known:
        if ref.kind in _BY_KIND:
            select = {"fieldSelector": f"metadata.name={ref.name}"}
            yield _Part(kind=_BY_KIND[ref.kind], select=select, covers=_is(ref), namespace=namespace)
        elif owner is not None and owner.kind == "ReplicaSet":
            yield _Part(kind=REPLICA_SETS, select={}, covers=_made_in(namespace), namespace=namespace)


def _siblings(stores: Stores, pod: Pod) -> _Part:
    """Return the pods of the namespace with all the labels that the pods of the same controller share."""
    shared = set(pod.labels.items())
    for other in stores.get(names.PODS, {}).values():
        if other.namespace == pod.namespace and other.owner == pod.owner:
            shared &= set(other.labels.items())
    select = {"labelSelector": ",".join(f"{key}={value}" for key, value in sorted(shared))} if shared else {}
    return _Part(kind=PODS, select=select, covers=_labelled(pod.namespace, shared), namespace=pod.namespace)


def _named(name: str) -> Callable[[Node | CsiNode], bool]:
    return lambda node: node.name == name


def _in_namespace(namespace: str) -> Callable[[Pdb], bool]:
    return lambda pdb: pdb.namespace == namespace


def _is(ref: WorkloadRef) -> Callable[[Controller], bool]:
    return lambda controller: controller.workload.ref == ref


def _made_in(namespace: str) -> Callable[[Controller], bool]:
    return lambda controller: controller.workload.ref.namespace == namespace


def _on(node: str) -> Callable[[Pod], bool]:
    return lambda pod: pod.node == node


def _any(_one: CsiDriver | VolumeAttachment) -> bool:
    return True


def _labelled(namespace: str, labels: set[tuple[str, str]]) -> Callable[[Pod], bool]:
    return lambda pod: pod.namespace == namespace and labels <= pod.labels.items()
