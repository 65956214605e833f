"""The probes' little server, on loopback."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from descheduler.metrics import Metrics
from descheduler.probing import Pages, ProbeServer


@contextmanager
def serving(*, ready: bool = True) -> Iterator[str]:
    """Run a server and give its address."""
    metrics = Metrics()
    server = ProbeServer(
        Pages(metrics=metrics.text, readiness=lambda: (ready, {"policy": "abc"})), host="127.0.0.1", port=0
    )
    stop = threading.Event()
    thread = threading.Thread(target=server.run, args=(stop,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        stop.set()
        thread.join(20)
        assert not thread.is_alive()


def get(address: str) -> tuple[int, str]:
    """Return status and body."""
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310  # loopback, our own address
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_liveness_metrics_and_anything_else() -> None:
    with serving() as address:
        assert get(f"{address}/healthz") == (200, "ok\n")
        assert "bayplan_descheduler_leader 0.0" in get(f"{address}/metrics?name=x")[1]
        assert get(f"{address}/other") == (404, "allowed are /healthz, /readyz and /metrics\n")


@pytest.mark.parametrize(("ready", "status"), [(True, 200), (False, 503)])
def test_readiness_is_told_with_its_detail(ready: bool, status: int) -> None:  # noqa: FBT001  # a column of the table
    with serving(ready=ready) as address:
        seen, body = get(f"{address}/readyz")

    detail: dict[str, Any] = json.loads(body)
    assert (seen, detail) == (status, {"ready": ready, "policy": "abc"})
