"""One in-memory cluster a test: its clock, its API server, and ways to put pods into it."""

from collections.abc import Callable
from typing import Any

import pytest

from policies.values.pods import Pod
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from tests.builders import make_pod

PutPod = Callable[..., Pod]


@pytest.fixture
def clock() -> ManualClock:
    """The only time there is."""
    return ManualClock()


@pytest.fixture
def server(clock: ManualClock) -> ApiServer:
    """An empty cluster."""
    return ApiServer(clock)


@pytest.fixture
def put_pod(server: ApiServer) -> PutPod:
    """Put a running pod into the cluster and return the value that decisions have of it."""

    def put(name: str = "web-0", *, node: str = "n1", **metadata: Any) -> Pod:
        server.put(raw_pod(name, node=node, **metadata))
        return make_pod(name, node=node)

    return put


def raw_pod(name: str, *, node: str = "n1", **metadata: Any) -> dict[str, Any]:
    """Return a Running and Ready pod of the ReplicaSet `web-rs` as the API would show it."""
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-rs", "uid": "uid-web-rs", "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "default",
            "name": name,
            "uid": f"uid-{name}",
            "labels": {"app": "web"},
            "ownerReferences": [owner],
        }
        | metadata,
        "spec": {"nodeName": node, "containers": [{"name": "main", "resources": {"requests": {"cpu": "100m"}}}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def raw_pdb(name: str, *, allowed: int, app: str = "web") -> dict[str, Any]:
    """Return a PodDisruptionBudget of an app with a written status."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"namespace": "default", "name": name, "uid": f"uid-{name}", "generation": 1},
        "spec": {"selector": {"matchLabels": {"app": app}}, "maxUnavailable": 1},
        "status": {"disruptionsAllowed": allowed, "observedGeneration": 1, "desiredHealthy": 2, "currentHealthy": 2},
    }
