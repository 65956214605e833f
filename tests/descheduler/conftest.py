"""One in-memory cluster a test: its clock, its API server, and ways to put pods into it."""

from collections.abc import Callable
from typing import Any

import pytest

from policies.values.pods import Pod
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from tests.builders import make_pod
from tests.raw import raw_pod

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
        server.put(raw_pod(name, node=node, patch={"metadata": metadata}))
        return make_pod(name, node=node)

    return put
