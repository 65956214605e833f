"""Kubernetes objects for set-ups, as plain dictionaries; sensible defaults, everything else by argument."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Object = dict[str, Any]

# Annotations that our KWOK stages (programs/stages.yaml) obey, on a pod: never Ready; ends with success at once.
UNREADY = {"controlplane.test/unready": "true"}
COMPLETES = {"controlplane.test/completes": "true"}
# Kinds without a namespace, as far as set-ups make them.
CLUSTER_WIDE = frozenset(
    {
        "CSINode",
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "StorageClass",
        "VolumeAttachment",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShape:
    """What a node offers; `labels` come on top of host name and zone, `address` is its InternalIP."""

    cpu: str = "8"
    memory: str = "32Gi"
    pods: int = 110
    zone: str = "a"
    address: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Mapping[str, str], ...] = ()
    extended: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodShape:
    """What a pod asks for and who places it; `spec` and `annotations` add to or replace what is made from the rest."""

    cpu: str = "100m"
    memory: str = "64Mi"
    scheduler: str = "default-scheduler"
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    spec: Mapping[str, Any] = field(default_factory=dict)


def collection(body: Object, namespace: str) -> str:
    """Return the API path of the collection that an object belongs to."""
    version, kind = body["apiVersion"], body["kind"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    plural = kind.lower() + ("es" if kind.endswith("s") else "s")
    return f"{root}/{plural}" if kind in CLUSTER_WIDE else f"{root}/namespaces/{namespace}/{plural}"


def node(name: str, shape: NodeShape) -> Object:
    """Return a node that KWOK looks after."""
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": shape.zone, "type": "kwok"}
    room = {"cpu": shape.cpu, "memory": shape.memory, "pods": str(shape.pods), **shape.extended}
    addresses = [{"type": "Hostname", "address": name}]
    if shape.address:
        addresses.append({"type": "InternalIP", "address": shape.address})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels | dict(shape.labels),
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {"taints": [dict(taint) for taint in shape.taints]},
        "status": {"allocatable": room, "capacity": room, "addresses": addresses},
    }


def takes_pods(node: Object) -> bool:
    """Return whether a node is Ready and free of the taints that Kubernetes itself puts on a new one."""
    conditions = {condition["type"]: condition["status"] for condition in node["status"].get("conditions", ())}
    taints = [taint["key"] for taint in node["spec"].get("taints", ())]
    return conditions.get("Ready") == "True" and not any(key.startswith("node.kubernetes.io/") for key in taints)


def established(definition: Object) -> bool:
    """Return whether a CustomResourceDefinition is served; one that was just created has no conditions yet."""
    conditions = definition.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def pod_template(app: str, shape: PodShape) -> Object:
    """Return the template of a pod labelled `app`."""
    requests = {"cpu": shape.cpu, "memory": shape.memory}
    spec: Object = {
        "schedulerName": shape.scheduler,
        "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "main", "image": "registry.invalid/main", "resources": {"requests": requests}}],
    }
    if shape.node_selector:
        spec["nodeSelector"] = dict(shape.node_selector)
    metadata = {"labels": {"app": app} | dict(shape.labels), "annotations": dict(shape.annotations)}
    return {"metadata": metadata, "spec": spec | dict(shape.spec)}


def pod(name: str, shape: PodShape | None = None) -> Object:
    """Return a bare pod labelled `app: <name>`."""
    template = pod_template(name, shape or PodShape())
    return {"apiVersion": "v1", "kind": "Pod"} | template | {"metadata": template["metadata"] | {"name": name}}


def deployment(name: str, replicas: int, shape: PodShape | None = None) -> Object:
    """Return a Deployment whose pods are labelled `app: <name>`."""
    return _workload("Deployment", name, replicas, shape)


def stateful_set(name: str, replicas: int, shape: PodShape | None = None) -> Object:
    """Return a StatefulSet whose pods are labelled `app: <name>`."""
    made = _workload("StatefulSet", name, replicas, shape)
    return made | {"spec": made["spec"] | {"serviceName": name, "podManagementPolicy": "Parallel"}}


def job(name: str, completions: int = 1, shape: PodShape | None = None) -> Object:
    """Return a Job whose pods keep running, unless the shape has the annotation `COMPLETES`."""
    template = pod_template(name, shape or PodShape())
    template["spec"]["restartPolicy"] = "Never"
    spec = {"completions": completions, "parallelism": completions, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def pdb(name: str, *, app: str, **budget: int | str) -> Object:
    """Return a PodDisruptionBudget over `app: <app>`; the budget is `minAvailable` or `maxUnavailable`."""
    spec = {"selector": {"matchLabels": {"app": app}}, **budget}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec}


def priority_class(name: str, value: int) -> Object:
    """Return a PriorityClass."""
    metadata = {"name": name}
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata, "value": value}


def eviction(name: str, namespace: str, *, uid: str | None = None) -> Object:
    """Return the body of an Eviction API call, with the pod's UID as precondition if given."""
    options: Object = {"preconditions": {"uid": uid}} if uid else {}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata, "deleteOptions": options}


def _workload(kind: str, name: str, replicas: int, shape: PodShape | None) -> Object:
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": name}},
        "template": pod_template(name, shape or PodShape()),
    }
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
