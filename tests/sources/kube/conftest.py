"""Fixtures for the Kubernetes sources."""

from pathlib import Path

import pytest

from sources.kube.client import KubeClient, connect
from tests.sources.http_fake import HttpFake
from tests.sources.kube.connections import kubeconfig


@pytest.fixture
def kube(server: HttpFake, tmp_path: Path) -> KubeClient:
    """The real client of the fake server."""
    return connect(kubeconfig(tmp_path, server.url))
