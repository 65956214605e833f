"""A made-up cluster as the API would give it: objects by number, so that no process needs a list of them.

Pods are of ordinary size (about 2.5 kB of JSON); it knows nothing of who reads them.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from controlplane.objects import Object

SCHEDULER: Final = "bayplan-scheduler"
_NAMESPACES: Final = 50
_DAY: Final = 86_400.0
_ENVIRONMENT: Final = [{"name": f"SETTING_{number}", "value": "v" * 20} for number in range(15)]


@dataclass(frozen=True, slots=True)
class Population:
    """Sizes of the cluster; pod `number` belongs to workload `number % workloads`, its node is by turn, too."""

    nodes: int
    pods: int
    workloads: int


def stamp(moment: float) -> str:
    """Return a time (Unix seconds) as the API writes it."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def node_name(number: int) -> str:
    """Return a name of the length that clouds give."""
    return f"node-{number:05d}.example.internal"


def address(number: int) -> str:
    """Return a node's address."""
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def namespace(workload: int) -> str:
    """Return the namespace of a workload."""
    return f"team-{workload % _NAMESPACES}"


def workload_name(workload: int) -> str:
    """Return the name of a workload."""
    return f"service-{workload}"


def uid(number: int) -> str:
    """Return a pod's UID."""
    return f"{number:08x}-aaaa-4bbb-8ccc-{number:012x}"


def node(number: int) -> Object:
    """Return a Ready node."""
    name = node_name(number)
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{number % 3}"}
    room = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    return {
        "metadata": {"name": name, "uid": f"node-{number}", "labels": labels, "creationTimestamp": stamp(0.0)},
        "spec": {},
        "status": {
            "allocatable": room,
            "capacity": room,
            "addresses": [{"type": "InternalIP", "address": address(number)}],
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pending_pod(number: int, population: Population, *, now: float) -> Object:
    """Return a pod that waits for a node."""
    workload = number % population.workloads
    owner = f"{workload_name(workload)}-7d4f9c6b5d"
    labels = {"app": workload_name(workload), "pod-template-hash": "7d4f9c6b5d", "team": f"{workload % _NAMESPACES}"}
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    return {
        "metadata": {
            "name": f"{owner}-{number:05x}",
            "namespace": namespace(workload),
            "uid": uid(number),
            "creationTimestamp": stamp(now),
            "labels": labels,
            "annotations": {"example.com/configuration": "x" * 200},
            "ownerReferences": [reference],
        },
        "spec": _spec(workload),
        "status": {"phase": "Pending", "qosClass": "Burstable"},
    }


def bound_pod(number: int, population: Population, *, now: float, created: float) -> Object:
    """Return the pod when it was just bound to its node."""
    pod = pending_pod(number, population, now=created)
    pod["spec"]["nodeName"] = node_name(number % population.nodes)
    pod["status"]["conditions"] = [_condition("PodScheduled", now)]
    return pod


def running_pod(number: int, population: Population, *, now: float | None = None, created: float) -> Object:
    """Return the pod when it is Ready since `now`; for a day already unless given."""
    since = created if now is None else now
    pod = bound_pod(number, population, now=created, created=created)
    pod["status"] |= {
        "phase": "Running",
        "conditions": [_condition(kind, since) for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")],
        "containerStatuses": [{"name": "main", "ready": True, "imageID": "sha256:" + "a" * 64, "restartCount": 0}],
        "podIP": address(number),
        "startTime": stamp(created),
    }
    return pod


def _spec(workload: int) -> Object:
    container = {
        "name": "main",
        "image": f"registry.invalid/{workload_name(workload)}:1",
        "env": _ENVIRONMENT,
        "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
        "volumeMounts": [{"name": "kube-api-access", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 10},
    }
    unreachable = [
        {"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
        for what in ("not-ready", "unreachable")
    ]
    return {
        "schedulerName": SCHEDULER,
        "priority": 0,
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "containers": [container],
        "volumes": [
            {"name": "kube-api-access", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}
        ],
        "tolerations": unreachable,
    }


def _condition(kind: str, since: float) -> Object:
    return {"type": kind, "status": "True", "lastTransitionTime": stamp(since)}
