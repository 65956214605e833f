"""One test's own corner of the shared cluster: a namespace, and nodes that its pods and nobody else's go to."""

import itertools
from dataclasses import replace

from controlplane import objects
from controlplane.api import Api, ApiRefusedError
from controlplane.auditing import Request
from controlplane.clusters import ControlPlane
from controlplane.objects import NodeShape, Object, PodShape
from controlplane.observing import Observer
from controlplane.waiting import wait_until

_LABEL = "scene"
_NUMBERS = itertools.count(1)


class Scene:
    """Makes nodes and workloads, waits for them, and clears them away when the test is over.

    Names of nodes and namespaces are never used twice in a run: Prometheus remembers the series of earlier tests.
    """

    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane
        self.name = f"scene-{next(_NUMBERS)}"
        self.namespace = self.name
        self.api: Api = plane.admin
        self._nodes: list[str] = []
        self._cluster_wide: list[str] = []
        self.api.create("/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        account = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/default"
        wait_until(lambda: self.api.find(account), f"the default ServiceAccount of {self.namespace}")

    def close(self) -> None:
        """Delete everything that was made; pods at once, so that no later test sees them."""
        self.api.delete(f"/api/v1/namespaces/{self.namespace}")  # from here on nothing new can be made in it
        self.api.delete(self._path("pods"), gracePeriodSeconds="0")
        for path in (*(f"/api/v1/nodes/{name}" for name in self._nodes), *self._cluster_wide):
            self.api.delete(path)

    @property
    def node_names(self) -> list[str]:
        """Return the names of the nodes that were made for this scene."""
        return list(self._nodes)

    def nodes(self, count: int, shape: NodeShape | None = None) -> list[str]:
        """Make nodes for this scene's pods and wait until they take pods; return their names."""
        given = shape or NodeShape()
        prefix = f"{self.name}-{len(self._nodes)}"
        labelled = replace(given, labels={_LABEL: self.name, **given.labels})
        made = [f"{prefix}-{number}" for number in range(1, count + 1)]
        self._nodes += made  # noted before they exist: a failure half-way must not leave any
        self.plane.add_nodes(count, prefix=prefix, shape=labelled)
        return made

    def here(self, shape: PodShape | None = None) -> PodShape:
        """Return the shape with a selector for this scene's nodes."""
        given = shape or PodShape()
        return replace(given, node_selector={_LABEL: self.name, **given.node_selector})

    def create(self, body: Object) -> Object:
        """Create an object, in this scene's namespace if it belongs into one."""
        made = self.api.create(objects.collection(body, self.namespace), body)
        if body["kind"] in objects.CLUSTER_WIDE:
            self._cluster_wide.append(f"{objects.collection(body, self.namespace)}/{made['metadata']['name']}")
        return made

    def deployment(self, name: str, replicas: int, shape: PodShape | None = None) -> list[Object]:
        """Create a Deployment on this scene's nodes, wait until all replicas are Ready, and return its pods."""
        self.create(objects.deployment(name, replicas, self.here(shape)))
        return self.wait_ready(name, replicas)

    def pod(self, name: str, shape: PodShape | None = None) -> Object:
        """Create a bare pod for this scene's nodes; it may stay pending."""
        return self.create(objects.pod(name, self.here(shape)))

    def pods(self, app: str | None = None) -> list[Object]:
        """Return this scene's pods, or those labelled `app`."""
        return self.api.items(self._path("pods"), **({"labelSelector": f"app={app}"} if app else {}))

    def wait_ready(self, app: str, count: int, *, timeout: float = 30.0) -> list[Object]:
        """Wait until exactly `count` pods labelled `app` exist and are all Ready; return them."""
        wait_until(
            lambda: len(pods := self.pods(app)) == count and all(is_ready(pod) for pod in pods),
            f"{count} Ready pods of {app}",
            timeout=timeout,
            seen=lambda: [summary(pod) for pod in self.pods(app)],
        )
        return self.pods(app)

    def wait_bound(self, name: str, *, timeout: float = 30.0) -> str:
        """Wait until a pod is bound; return its node."""
        path = self._path("pods", name)
        node: str = wait_until(
            lambda: self.api.get(path)["spec"].get("nodeName", ""),
            f"pod {name} to be bound",
            timeout=timeout,
            seen=lambda: summary(self.api.get(path)),
        )
        return node

    def evict(self, name: str, *, uid: str | None = None) -> int:
        """Ask for an eviction as the administrator; return the status of the answer."""
        path = self._path("pods", name) + "/eviction"
        try:
            self.api.create(path, objects.eviction(name, self.namespace, uid=uid))
        except ApiRefusedError as error:
            return error.status
        return 201

    def observe(self, resource: str = "pods") -> Observer:
        """Return an observer of one core resource of this namespace; it looks while it is entered."""
        return Observer(self.api, self._path(resource))

    def evictions(self) -> list[Request]:
        """Return every eviction that anybody asked for in this namespace, with the answers."""
        return self.plane.audit.evictions(namespace=self.namespace)

    def evicted(self) -> list[str]:
        """Return the pods whose eviction the API server granted, in order, from its audit log."""
        return [request.name for request in self.evictions() if request.granted]

    def events(self, reason: str | None = None) -> list[Object]:
        """Return the events of this namespace, or those with one reason."""
        found = self.api.items(self._path("events"))
        return [event for event in found if reason in (None, event.get("reason"))]

    def _path(self, resource: str, name: str = "") -> str:
        return f"/api/v1/namespaces/{self.namespace}/{resource}" + (f"/{name}" if name else "")


def is_ready(pod: Object) -> bool:
    """Return whether a pod is Ready and not on its way out."""
    conditions = {condition["type"]: condition["status"] for condition in pod["status"].get("conditions", ())}
    return conditions.get("Ready") == "True" and "deletionTimestamp" not in pod["metadata"]


def node_of(pod: Object) -> str:
    """Return the node that a pod is bound to; empty for a pending pod."""
    node: str = pod["spec"].get("nodeName", "")
    return node


def summary(pod: Object) -> str:
    """Return a pod in one line, for messages."""
    conditions = [
        f"{condition['type']}={condition['status']} {condition.get('message', '')}".strip()
        for condition in pod["status"].get("conditions", ())
        if condition["type"] in ("PodScheduled", "Ready", "DisruptionTarget")
    ]
    return f"{pod['metadata']['name']} on {node_of(pod) or 'no node'} {pod['status'].get('phase')} {conditions}"
