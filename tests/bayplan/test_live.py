"""The cluster of a kubeconfig: whatever it says no with ends the command with its code and names the kubeconfig."""

import json
from pathlib import Path

import pytest

from bayplan.exits import Unreachable
from bayplan.live import cluster
from sources.kube.errors import ApiError, Forbidden, NotFound, TimedOut, Unauthorized


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Path:
    """A kubeconfig of a server that nobody asks here."""
    content = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}],
        "users": [{"name": "u", "user": {}}],
    }
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps(content))
    return file


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            NotFound(404, message="404 page not found"),
            "kubeconfig FILE: the cluster has no such kind, is Bayplan installed there? 404: 404 page not found",
        ),
        (Unauthorized(401, reason="Unauthorized"), "kubeconfig FILE: 401 Unauthorized"),
        (Forbidden(403, message="plans is forbidden"), "kubeconfig FILE: 403: plans is forbidden"),
        (TimedOut("GET http://x: no answer"), "GET http://x: no answer"),
    ],
)
def test_a_refusal_names_the_kubeconfig(kubeconfig: Path, error: ApiError, message: str) -> None:
    with pytest.raises(Unreachable) as caught, cluster(kubeconfig):
        raise error

    assert caught.value.message == message.replace("FILE", str(kubeconfig))
