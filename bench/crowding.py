"""Fills a real control plane with nodes, workloads and running pods over several connections; measures nothing.

No scheduler and no controller-manager takes part: pods name their node, owners are written with the status that a
controller would give them.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from bench import population
from bench.population import Population
from controlplane import objects
from controlplane.api import Api
from controlplane.clusters import ControlPlane
from controlplane.objects import NodeShape, Object
from controlplane.waiting import wait_until

_CONNECTIONS: Final = 8
_TEMPLATE_HASH: Final = "7d4f9c6b5d"
T = TypeVar("T")


class Crowd:
    """Eight connections at work."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        self._idle: SimpleQueue[Api] = SimpleQueue()
        for _ in range(_CONNECTIONS):
            self._idle.put(plane.admin.clone())

    def each(self, things: Iterable[T], act: Callable[[Api, T], object]) -> None:
        """Do something for each thing, eight at a time."""

        def one(thing: T) -> None:
            api = self._idle.get()
            try:
                act(api, thing)
            finally:
                self._idle.put(api)

        with ThreadPoolExecutor(_CONNECTIONS) as pool:
            for done in [pool.submit(one, thing) for thing in things]:
                done.result()

    def nodes(self, numbers: Iterable[int], shape: Callable[[int], NodeShape]) -> None:
        """Create nodes."""
        self.each(numbers, lambda api, number: api.create("/api/v1/nodes", _node(number, shape(number))))

    def workloads(self, numbers: Iterable[int], *, replicas: int) -> dict[int, str]:
        """Create namespaces and Deployments with their ReplicaSets, and return the UIDs of the latter."""
        uids: dict[int, str] = {}
        wanted = tuple(numbers)
        names = {population.namespace(number) for number in wanted}
        self.each(names, lambda api, name: api.create("/api/v1/namespaces", {"metadata": {"name": name}}))

        def make(api: Api, number: int) -> None:
            deployment = _with_status(api, "deployments", _deployment(number, replicas), _deployment_status(replicas))
            replica_set = _replica_set(deployment, replicas)
            uids[number] = _with_status(api, "replicasets", replica_set, _counts(replicas))["metadata"]["uid"]

        self.each(wanted, make)
        return uids

    def pods(self, pods: Iterable[Object]) -> None:
        """Create pods."""
        self.each(pods, lambda api, pod: api.create(f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods", pod))

    def close(self) -> None:
        """Close the connections."""
        while not self._idle.empty():
            self._idle.get().close()


@contextmanager
def crowd(plane: ControlPlane) -> Iterator[Crowd]:
    """Open the connections and close them."""
    made = Crowd(plane)
    try:
        yield made
    finally:
        made.close()


def wait_running(api: Api, *, timeout: float) -> None:
    """Wait until no pod is in another phase than Running."""
    others = {"fieldSelector": "status.phase!=Running", "limit": "1"}
    wait_until(lambda: not api.items("/api/v1/pods", **others), "all pods to run", timeout=timeout, interval=1.0)


def standing_pod(number: int, sizes: Population, *, owner_uid: str, now: float) -> Object:
    """Return a pod that names its node and its owner, as the API takes it."""
    pod = population.bound_pod(number, sizes, now=now, created=now)
    metadata = {key: value for key, value in pod["metadata"].items() if key not in {"uid", "creationTimestamp"}}
    metadata["ownerReferences"] = [metadata["ownerReferences"][0] | {"uid": owner_uid}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod["spec"]}


def _node(number: int, shape: NodeShape) -> Object:
    return objects.node(population.node_name(number), shape)


def _deployment(number: int, replicas: int) -> Object:
    made = objects.deployment(population.workload_name(number), replicas)
    made["metadata"]["namespace"] = population.namespace(number)
    return made


def _replica_set(deployment: Object, replicas: int) -> Object:
    metadata, labels = deployment["metadata"], {"pod-template-hash": _TEMPLATE_HASH}
    template = deployment["spec"]["template"]
    labels |= template["metadata"]["labels"]
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "controller": True}
    owner |= {key: metadata[key] for key in ("name", "uid")}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{metadata['name']}-{_TEMPLATE_HASH}",
            "namespace": metadata["namespace"],
            "labels": labels,
            "ownerReferences": [owner],
        },
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": template | {"metadata": {"labels": labels}},
        },
    }


def _with_status(api: Api, plural: str, body: Object, status: dict[str, Any]) -> Object:
    path = f"/apis/apps/v1/namespaces/{body['metadata']['namespace']}/{plural}"
    made = api.create(path, body)
    return api.patch(f"{path}/{made['metadata']['name']}/status", {"status": {"observedGeneration": 1} | status})


def _counts(replicas: int) -> dict[str, Any]:
    return {"replicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas}


def _deployment_status(replicas: int) -> dict[str, Any]:
    return _counts(replicas) | {"updatedReplicas": replicas}
