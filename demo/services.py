"""Bayplan's two services as processes with the rights that deploy/ gives them; knows their command lines and pages."""

import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import requests

from controlplane import probing
from controlplane.clusters import ControlPlane
from controlplane.processes import Command, Program

OWN: Final = "bayplan-system"
RECORDS: Final = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/evictionrecords"
REPORT: Final = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/deschedulerreports/descheduler"
_BAYPLAN: Final = Path(sys.executable).with_name("bayplan")


class Service:
    """A running service: a context manager, ready when entered, ended when left."""

    def __init__(self, program: Program, *, url: str, admin: str) -> None:
        self.program = program
        self.url = url
        self._admin = admin
        self._session = requests.Session()
        self._session.trust_env = False

    def __enter__(self) -> Self:
        self.program.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()
        self.program.kill()  # the cluster ends with it: nobody needs its orderly end, which takes seconds

    def explain(self, pod: str) -> dict[str, Any]:
        """Return what the extender would answer for a pod (`namespace/name`); empty where it cannot say."""
        try:
            answer = self._session.get(f"{self._admin}/explain", params={"pod": pod}, timeout=10)
        except requests.RequestException:
            return {}
        found: dict[str, Any] = answer.json() if answer.ok else {}
        return found


def extender(plane: ControlPlane, policy: str) -> Service:
    """Return the extender, not started yet."""
    port = plane.run.port("bayplan-extender")
    url = f"http://127.0.0.1:{port}/v1"
    return _service(plane, "extender", policy, [f"--port={port}"], port_option="--admin-port", url=url)


def descheduler(plane: ControlPlane, policy: str) -> Service:
    """Return the descheduler as a loop, not started yet."""
    return _service(plane, "descheduler", policy, [], port_option="--port", url="")


def _service(plane: ControlPlane, kind: str, policy: str, options: list[str], *, port_option: str, url: str) -> Service:
    name = f"bayplan-{kind}"
    admin = plane.run.port(f"{name}-admin")
    kubeconfig = plane.kubeconfig(name, plane.service_account_token(OWN, name))
    arguments = [
        str(_BAYPLAN),
        kind,
        "run",
        f"--kubeconfig={kubeconfig}",
        f"--policy={plane.run.write(f'{name}-policy.yaml', policy)}",
        f"--pod-name={name}-0",
        f"{port_option}={admin}",
        *options,
    ]
    ready = probing.http_ok(f"http://127.0.0.1:{admin}/readyz")
    command = Command(name=name, arguments=arguments, environment={"NO_PROXY": "127.0.0.1"}, ready=ready)
    return Service(plane.run.program(command), url=url, admin=f"http://127.0.0.1:{admin}")
