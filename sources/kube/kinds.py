"""The kinds that are read from the cluster: where each is listed, how it is decoded, what it is known by.

RBAC in `deploy/` grants exactly these lists and watches; a test compares the two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from policies.values import kinds
from sources.kube.decoding.nodes import decode_node
from sources.kube.decoding.pdbs import decode_pdb
from sources.kube.decoding.pods import decode_lean_pod, decode_pod
from sources.kube.decoding.sharing import labels_of
from sources.kube.decoding.volumes import (
    decode_claim,
    decode_csi_driver,
    decode_csi_node,
    decode_storage_class,
    decode_volume,
    decode_volume_attachment,
)
from sources.kube.decoding.workloads import (
    decode_daemon_set,
    decode_deployment,
    decode_job,
    decode_replica_set,
    decode_stateful_set,
)
from sources.kube.plans import SLOT_NAME, decode_plan, decode_slot, plans_path, slots_path
from sources.kube.records import decode_record, records_path

# The Lease that the acting descheduler holds.
LEADER: Final = "bayplan-descheduler"
T = TypeVar("T")
_Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T]):
    """One kind. `page` objects are asked for at a time; `key` tells objects of the kind apart.

    `select` are selectors (`fieldSelector`) that narrow lists and watches down.
    """

    name: str
    path: str
    decode: Callable[[_Raw], T]
    key: Callable[[_Raw], str]
    page: int = 500
    select: Mapping[str, str] = field(default_factory=dict)


def by_uid(raw: _Raw) -> str:
    """Return the UID: a pod that was recreated under its old name is another pod."""
    return str(raw["metadata"]["uid"])


def by_name(raw: _Raw) -> str:
    """Return the name of an object without a namespace."""
    return str(raw["metadata"]["name"])


def by_path(raw: _Raw) -> str:
    """Return `namespace/name`."""
    metadata = raw["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}"


def _decode_namespace(raw: _Raw) -> dict[str, str]:
    return labels_of(raw["metadata"].get("labels"))


NODES: Final = Kind(name=kinds.NODES, path="/api/v1/nodes", decode=decode_node, key=by_name)
PODS: Final = Kind(name=kinds.PODS, path="/api/v1/pods", decode=decode_pod, key=by_uid)
PDBS: Final = Kind(name=kinds.PDBS, path="/apis/policy/v1/poddisruptionbudgets", decode=decode_pdb, key=by_path)
CLAIMS: Final = Kind(name=kinds.CLAIMS, path="/api/v1/persistentvolumeclaims", decode=decode_claim, key=by_path)
VOLUMES: Final = Kind(name=kinds.VOLUMES, path="/api/v1/persistentvolumes", decode=decode_volume, key=by_name)
STORAGE_CLASSES: Final = Kind(
    name=kinds.STORAGE_CLASSES,
    path="/apis/storage.k8s.io/v1/storageclasses",
    decode=decode_storage_class,
    key=by_name,
)
CSI_NODES: Final = Kind(
    name=kinds.CSI_NODES, path="/apis/storage.k8s.io/v1/csinodes", decode=decode_csi_node, key=by_name
)
CSI_DRIVERS: Final = Kind(
    name=kinds.CSI_DRIVERS, path="/apis/storage.k8s.io/v1/csidrivers", decode=decode_csi_driver, key=by_name
)
VOLUME_ATTACHMENTS: Final = Kind(
    name=kinds.VOLUME_ATTACHMENTS,
    path="/apis/storage.k8s.io/v1/volumeattachments",
    decode=decode_volume_attachment,
    key=by_name,
)
NAMESPACES: Final = Kind(name=kinds.NAMESPACES, path="/api/v1/namespaces", decode=_decode_namespace, key=by_name)
DEPLOYMENTS: Final = Kind(
    name=kinds.DEPLOYMENTS, path="/apis/apps/v1/deployments", decode=decode_deployment, key=by_path
)
REPLICA_SETS: Final = Kind(
    name=kinds.REPLICA_SETS, path="/apis/apps/v1/replicasets", decode=decode_replica_set, key=by_path
)
STATEFUL_SETS: Final = Kind(
    name=kinds.STATEFUL_SETS, path="/apis/apps/v1/statefulsets", decode=decode_stateful_set, key=by_path
)
DAEMON_SETS: Final = Kind(
    name=kinds.DAEMON_SETS, path="/apis/apps/v1/daemonsets", decode=decode_daemon_set, key=by_path
)
JOBS: Final = Kind(name=kinds.JOBS, path="/apis/batch/v1/jobs", decode=decode_job, key=by_path)

# In the order in which they are listed: what a pod depends on before the pods, so that an owner is seldom unknown.
EVERYTHING: Final[tuple[Kind[Any], ...]] = (
    NODES, NAMESPACES, DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS, DAEMON_SETS, JOBS,
    CLAIMS, VOLUMES, STORAGE_CLASSES, CSI_NODES, CSI_DRIVERS, VOLUME_ATTACHMENTS, PDBS, PODS,
)  # fmt: skip

# A page of 200 whole pods takes the interpreter about 5 ms: a filter call waits no longer than that for it.
LEAN_PODS: Final = Kind(name=kinds.PODS, path=PODS.path, decode=decode_lean_pod, key=by_uid, page=200)


def records_of(namespace: str) -> Kind[Any]:
    """Return the ledger of one namespace."""
    return Kind(name=kinds.RECORDS, path=records_path(namespace), decode=decode_record, key=by_name)


def plans_of(namespace: str) -> Kind[Any]:
    """Return the placement plans of one namespace."""
    return Kind(name=kinds.PLANS, path=plans_path(namespace), decode=decode_plan, key=by_name, page=5)


def slots_of(namespace: str) -> Kind[Any]:
    """Return the slot of one namespace; an object of the kind with another name is nobody's order."""
    select = {"fieldSelector": f"metadata.name={SLOT_NAME}"}
    return Kind(name=kinds.SLOTS, path=slots_path(namespace), decode=decode_slot, key=by_name, select=select)


def leader_of(namespace: str) -> Kind[Any]:
    """Return the Lease of the descheduler that acts: its holder and version, which changes with every renewal."""
    return Kind(
        name=kinds.LEASES,
        path=f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases",
        decode=_decode_lease,
        key=by_name,
        select={"fieldSelector": f"metadata.name={LEADER}"},
    )


def _decode_lease(raw: _Raw) -> tuple[str, str]:
    return (raw.get("spec") or {}).get("holderIdentity") or "", raw["metadata"].get("resourceVersion") or ""


def extender_kinds(namespace: str) -> tuple[Kind[Any], ...]:
    """Return what the extender watches: nodes, lean pods, and in Bayplan's namespace ledger, plans, slot and leader."""
    ours = (records_of(namespace), plans_of(namespace), slots_of(namespace), leader_of(namespace))
    return NODES, LEAN_PODS, *ours
