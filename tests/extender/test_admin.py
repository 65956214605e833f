"""Probes, metrics and explanations on the second listener."""

import socket
import threading
import urllib.request
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from prometheus_client import CollectorRegistry

from extender.admin import AdminServer, create_admin_app
from extender.metrics import Meters
from extender.readiness import Readiness
from sources.supervising import Health, TaskState
from tests.extender.fakes import make_state


class Condition:
    """Holds or not, as told."""

    def __init__(self) -> None:
        self.holds = True

    def __call__(self) -> bool:
        """Tell whether it holds."""
        return self.holds


def explained(namespace: str, name: str) -> dict[str, Any] | None:
    return None if name == "gone" else {"pod": f"{namespace}/{name}"}


@pytest.fixture
def condition() -> Condition:
    return Condition()


@pytest.fixture
def client(condition: Condition) -> FlaskClient:
    health = Health()
    health.report("poll", TaskState.FAILING, "ValueError: lost")
    readiness = Readiness(
        rulings=make_state().rulings,
        health=health,
        conditions={"watches synced": condition, "not stopping": lambda: True},
        remarks=lambda: ["cpu.node: HTTP 503"],
    )
    return create_admin_app(readiness, Meters().registry, explained).test_client()


def test_a_ready_replica_tells_policy_remarks_and_tasks(client: FlaskClient) -> None:
    response = client.get("/readyz")

    assert response.status_code == 200
    assert response.get_json() == {
        "ready": True,
        "lacking": [],
        "policyHash": "abc",
        "plan": None,
        "remarks": ["cpu.node: HTTP 503"],
        "tasks": {"poll": {"state": "failing", "restarts": 0, "detail": "ValueError: lost"}},
    }


def test_a_replica_that_is_not_ready_says_what_it_lacks(client: FlaskClient, condition: Condition) -> None:
    condition.holds = False

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.get_json()["lacking"] == ["watches synced"]


def test_a_process_that_is_not_ready_is_alive(client: FlaskClient, condition: Condition) -> None:
    condition.holds = False

    assert client.get("/healthz").status_code == 200


def test_metrics_are_in_the_text_format(client: FlaskClient) -> None:
    response = client.get("/metrics")

    assert response.content_type.startswith("text/plain")
    assert b"# TYPE bayplan_extender_request_seconds histogram" in response.data


def test_a_pod_is_explained(client: FlaskClient) -> None:
    assert client.get("/explain?pod=shop/web-0").get_json() == {"pod": "shop/web-0"}


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ("?pod=shop/gone", 404, "there is no pod shop/gone, or it cannot be read now"),
        ("?pod=web-0", 400, "pod='web-0' names no pod; allowed is pod=<namespace>/<name>"),
        (
            "?pod=shop/a/../../secrets/b",
            400,
            "pod='shop/a/../../secrets/b' names no pod; allowed is pod=<namespace>/<name>",
        ),
        ("?pod=shop/a%3Fwatch=1", 400, "pod='shop/a?watch=1' names no pod; allowed is pod=<namespace>/<name>"),
        ("?pod=../web-0", 400, "pod='../web-0' names no pod; allowed is pod=<namespace>/<name>"),
        ("", 400, "pod='' names no pod; allowed is pod=<namespace>/<name>"),
    ],
)
def test_a_question_about_no_pod_gets_an_error(client: FlaskClient, query: str, status: int, error: str) -> None:
    response = client.get(f"/explain{query}")

    assert response.status_code == status
    assert response.get_json() == {"error": error}


def test_other_paths_and_methods_get_an_error_in_json(client: FlaskClient) -> None:
    assert client.get("/v1/filter").get_json() == {"error": "404 Not Found: GET /v1/filter"}
    assert client.post("/metrics").status_code == 405


def test_the_listener_serves_until_it_is_told_to_stop(condition: Condition) -> None:
    readiness = Readiness(rulings=make_state().rulings, health=Health(), conditions={"it": condition}, remarks=list)
    server = AdminServer(create_admin_app(readiness, Meters().registry, explained), host="127.0.0.1", port=0)
    stop = threading.Event()
    thread = threading.Thread(target=server.run, args=(stop,))
    thread.start()

    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/readyz", timeout=5) as response:
        body = orjson.loads(response.read())
    stop.set()
    thread.join(20)

    assert body["ready"] is True
    assert not thread.is_alive()


def test_a_port_that_is_taken_ends_the_start() -> None:
    app = create_admin_app(
        Readiness(rulings=make_state().rulings, health=Health(), conditions={}, remarks=tuple),
        CollectorRegistry(),
        explained,
    )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1 port {port} for probes and metrics: .*in use"):
            AdminServer(app, host="127.0.0.1", port=port)
