"""Raw Kubernetes objects for tests, as the API would give them; defaults are those of `tests.builders`."""

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.jsons import Raw, merged, timestamp
from tests.builders import HOUR, NOW, make_node, make_pod
from tests.encoding import node_json, pod_json

OLD = timestamp(NOW - HOUR)


def raw_node(name: str = "n1", *, patch: Raw | None = None, **fields: Any) -> Raw:
    """Return a Ready node; `fields` are those of `make_node`, `patch` is merged over the raw object."""
    return merged(node_json(make_node(name, **fields)), patch or {})  # type: ignore[no-any-return]  # JSON


def raw_pod(name: str = "web-0", *, patch: Raw | None = None, **fields: Any) -> Raw:
    """Return a running pod; `fields` are those of `make_pod`, `patch` is merged over the raw object."""
    return merged(pod_json(make_pod(name, **fields)), patch or {})  # type: ignore[no-any-return]  # JSON


def raw_object(api_version: str, kind: str, name: str, *, namespace: str | None = "default", **more: Any) -> Raw:
    """Return any object: `labels`, `annotations` and `owner` go into its metadata, everything else beside it."""
    meta: Raw = {"name": name, "uid": f"uid-{name}", "creationTimestamp": OLD, "generation": 1}
    if namespace is not None:
        meta["namespace"] = namespace
    for field in ("labels", "annotations"):
        if field in more:
            meta[field] = more.pop(field)
    if "owner" in more:
        meta["ownerReferences"] = [owner_reference(more.pop("owner"))]
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **more}


def owner_reference(owner: Raw) -> Raw:
    """Return the controller reference to a raw object."""
    head = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True}
    return head | {name: owner["metadata"][name] for name in ("name", "uid")}


def raw_deployment(name: str = "web", *, replicas: int = 3, namespace: str = "default", **more: Any) -> Raw:
    """Return a Deployment at rest with all replicas available."""
    labels = {"app": name}
    counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    status = {"observedGeneration": 1, **dict.fromkeys(counts, replicas)}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": raw_template(labels)}
    raw = raw_object("apps/v1", "Deployment", name, namespace=namespace, spec=spec, status=status)
    return merged(raw, more)  # type: ignore[no-any-return]  # JSON


def raw_replica_set(name: str = "web-rs", *, replicas: int = 3, app: str = "web", **more: Any) -> Raw:
    """Return a ReplicaSet with all replicas ready; `owner` is the raw Deployment above it."""
    owner = more.pop("owner", None)
    namespace = more.pop("namespace", "default" if owner is None else owner["metadata"]["namespace"])
    counts = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    status = {"observedGeneration": 1, **dict.fromkeys(counts, replicas)}
    labels = {"app": app}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": raw_template(labels)}
    place: Raw = {"namespace": namespace, "labels": labels} | ({} if owner is None else {"owner": owner})
    return merged(raw_object("apps/v1", "ReplicaSet", name, spec=spec, status=status, **place), more)  # type: ignore[no-any-return]  # JSON


def raw_stateful_set(name: str = "db", *, replicas: int = 3, revision: str = "db-1", **more: Any) -> Raw:
    """Return a StatefulSet at rest at one revision."""
    counts = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    revisions = {"currentRevision": revision, "updateRevision": revision}
    status = {"observedGeneration": 1, **revisions, **dict.fromkeys(counts, replicas)}
    labels = {"app": name}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": raw_template(labels)}
    return merged(raw_object("apps/v1", "StatefulSet", name, spec=spec, status=status), more)  # type: ignore[no-any-return]  # JSON


def raw_template(labels: Mapping[str, str], *, cpu: int = 100) -> Raw:
    """Return a pod template with one small container."""
    requests = {"cpu": f"{cpu}m", "memory": str(64 * 2**20)}
    container = {"name": "main", "image": "example.invalid/main", "resources": {"requests": requests}}
    return {
        "metadata": {"labels": dict(labels)},
        "spec": {"schedulerName": "bayplan-scheduler", "containers": [container]},
    }


def raw_workload(name: str = "web", *, nodes: Sequence[str | None] = ("n1",), **fields: Any) -> list[Raw]:
    """Return a Deployment, its ReplicaSet `<name>-rs` and a pod `<name>-<i>` on each named node (None: Pending)."""
    deployment = raw_deployment(name, replicas=len(nodes), namespace=fields.get("namespace", "default"))
    replica_set = raw_replica_set(f"{name}-rs", replicas=len(nodes), app=name, owner=deployment)
    pods = [raw_pod(f"{name}-{at}", node=node, workload=name, **fields) for at, node in enumerate(nodes)]
    return [deployment, replica_set, *pods]


def raw_pdb(name: str = "web", *, app: str = "web", allowed: int | None = 1, **more: Any) -> Raw:
    """Return a PDB that selects `app`; `allowed=None` leaves its status unwritten."""
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}}
    counts = {"currentHealthy": 1 + (allowed or 0), "desiredHealthy": 1, "expectedPods": 1 + (allowed or 0)}
    status = {} if allowed is None else {"observedGeneration": 1, "disruptionsAllowed": allowed, **counts}
    return merged(raw_object("policy/v1", "PodDisruptionBudget", name, spec=spec, status=status), more)  # type: ignore[no-any-return]  # JSON


def raw_claim(name: str = "data", *, volume: str | None = "pv-1", storage_class: str = "disk", **more: Any) -> Raw:
    """Return a PersistentVolumeClaim, bound unless `volume` is None."""
    spec: Raw = {"storageClassName": storage_class, "accessModes": ["ReadWriteOnce"]}
    spec |= {} if volume is None else {"volumeName": volume}
    status = {"phase": "Pending" if volume is None else "Bound"}
    return merged(raw_object("v1", "PersistentVolumeClaim", name, spec=spec, status=status), more)  # type: ignore[no-any-return]  # JSON


def raw_volume(name: str = "pv-1", *, zone: str | None = None, local_on: str | None = None) -> Raw:
    """Return a CSI volume reachable from everywhere, from one zone, or a local one of a node."""
    where = {"topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": local_on}
    terms = [{"key": key, "operator": "In", "values": [value]} for key, value in where.items() if value is not None]
    spec: Raw = {"local": {"path": "/mnt/disk"}} if local_on else {"csi": {"driver": "csi.example.invalid"}}
    if terms:
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": terms}]}}
    return raw_object("v1", "PersistentVolume", name, namespace=None, spec=spec)


def raw_csi_node(name: str = "n1", *, attachable: Mapping[str, int] | None = None) -> Raw:
    """Return a CSINode with the number of volumes that each driver can attach."""
    limits = attachable or {}
    drivers = [{"name": driver, "nodeID": name, "allocatable": {"count": most}} for driver, most in limits.items()]
    return raw_object("storage.k8s.io/v1", "CSINode", name, namespace=None, spec={"drivers": drivers})


def raw_csi_driver(name: str, *, needed: bool) -> Raw:
    """Return a CSIDriver that must, or need not, be on a node before pods with its volumes go there."""
    spec = {"attachRequired": True, "preventPodSchedulingIfMissing": needed}
    return raw_object("storage.k8s.io/v1", "CSIDriver", name, namespace=None, spec=spec)


def raw_attachment(name: str, *, node: str, volume: str = "pv-1", driver: str = "csi.example.invalid") -> Raw:
    """Return a VolumeAttachment of a PersistentVolume."""
    spec = {"attacher": driver, "nodeName": node, "source": {"persistentVolumeName": volume}}
    status = {"attached": True}
    return raw_object("storage.k8s.io/v1", "VolumeAttachment", name, namespace=None, spec=spec, status=status)


def raw_namespace(name: str, labels: Mapping[str, str] | None = None) -> Raw:
    """Return a namespace with its own name as a label, as the API server gives it."""
    own = {"kubernetes.io/metadata.name": name}
    return raw_object("v1", "Namespace", name, namespace=None, labels=own | dict(labels or {}))


def raw_lease(name: str, *, namespace: str = "bayplan-system", holder: str = "someone", **spec: Any) -> Raw:
    """Return a Lease."""
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 15} | spec
    return raw_object("coordination.k8s.io/v1", "Lease", name, namespace=namespace, spec=spec)
