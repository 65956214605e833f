"""Bayplan's two services as real processes against a real control plane: started, watched, paused, ended by their id.

It knows their command lines and pages, and nothing of what they decide.
"""

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests
import yaml
from prometheus_client.parser import text_string_to_metric_families

from bayplan import presets
from controlplane import objects, probing
from controlplane.clusters import ControlPlane
from controlplane.objects import Object, PodShape
from controlplane.processes import Command, Program
from controlplane.waiting import wait_until
from policies.model.text import use_core_schema

OWN = "bayplan-system"
RECORDS = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/evictionrecords"
REPORTS = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/deschedulerreports"
PLANS = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/placementplans"
SLOTS = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/planslots"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{OWN}/leases"
PODS = f"/api/v1/namespaces/{OWN}/pods"
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_CRDS = Path(__file__).parents[2] / "deploy/common/crds"
_BAYPLAN = Path(sys.executable).with_name("bayplan")
_NUMBERS = itertools.count(1)


class _Core(yaml.SafeLoader):
    """Reads YAML as our policies are read: `off` is a word, not a switch."""


use_core_schema(_Core)
# A policy as text, or as the structure that it stands for.
PolicyText = str | Mapping[str, Any]


def preset(name: str, **changes: object) -> str:
    """Return a shipped preset as text, with what an operator sets merged in, mapping by mapping."""
    shipped: dict[str, Any] = yaml.load(presets.text(name), Loader=_Core)  # noqa: S506  # a safe loader
    return yaml.safe_dump(_merged(shipped, changes), sort_keys=False)


@dataclass(frozen=True, slots=True)
class Services:
    """Starts services on one control plane; every one of them is a context manager, ready when entered."""

    plane: ControlPlane

    def extender(
        self,
        policy: PolicyText,
        *,
        name: str = "",
        on: str = "",
        kubeconfig: Path | None = None,
        options: Sequence[str] = (),
    ) -> "Extender":
        """Return an extender, not started yet.

        `on` is the node of its own pod, which it needs in order to wake sleeping pods; without it there is no such pod.
        `kubeconfig` is the administrator's unless given; `options` are further flags.
        """
        named = name or f"bayplan-extender-{next(_NUMBERS)}"
        ports = [self.plane.run.port(f"{named}{end}") for end in ("", "-admin")]
        started = Start(self.plane, named, kubeconfig)
        listening = (f"--port={ports[0]}", f"--admin-port={ports[1]}")
        program = started.program("extender", policy, *listening, *options, admin=ports[1])
        return Extender(program, started, admin=ports[1], port=ports[0], node=on)

    def descheduler(
        self,
        policy: PolicyText,
        *,
        name: str = "",
        interval: str = "",
        kubeconfig: Path | None = None,
        launcher: Sequence[str] = (),
    ) -> "Service":
        """Return a descheduler that loops, not started yet; `interval` is the policy's step unless given.

        `launcher` is what is started instead of the command `bayplan`.
        """
        named = name or f"bayplan-descheduler-{next(_NUMBERS)}"
        port = self.plane.run.port(named)
        options = [f"--port={port}", *([f"--interval={interval}"] if interval else [])]
        started = Start(self.plane, named, kubeconfig, tuple(launcher) or (str(_BAYPLAN),))
        return Service(started.program("descheduler", policy, *options, admin=port), started, admin=port)

    def once(self, policy: PolicyText, *, kubeconfig: Path | None = None) -> dict[str, Any]:
        """Run a single cycle of the descheduler and return what it printed; an error if it failed."""
        start = Start(self.plane, f"bayplan-descheduler-{next(_NUMBERS)}", kubeconfig)
        command = start.arguments("descheduler", policy, "--once", "--output=json")
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == 0, f"{start.name} ended with {done.returncode}:\n{done.stderr[-4000:]}"
        printed: dict[str, Any] = json.loads(done.stdout)
        return printed

    def records(self) -> list[Object]:
        """Return every eviction record."""
        return self.plane.admin.items(RECORDS)

    def record_of(self, pod: str) -> Object | None:
        """Return the record of a pod's eviction by the pod's name."""
        return next((raw for raw in self.records() if raw["spec"]["pod"]["name"] == pod), None)

    def report(self) -> Object:
        """Return the status of the descheduler's report; empty before the first one."""
        found = self.plane.admin.items(REPORTS)
        return found[0].get("status", {}) if found else {}


@dataclass(frozen=True, slots=True)
class Start:
    """How one process is started."""

    plane: ControlPlane
    name: str
    kubeconfig: Path | None = None
    launcher: tuple[str, ...] = (str(_BAYPLAN),)

    def program(self, kind: str, policy: PolicyText, *options: str, admin: int) -> Program:
        """Return the process, not started yet, with its policy written."""
        arguments = self.arguments(kind, policy, *options)
        ready = probing.http_ok(f"http://127.0.0.1:{admin}/readyz")
        command = Command(name=self.name, arguments=arguments, environment={"NO_PROXY": "127.0.0.1"}, ready=ready)
        return self.plane.run.program(command)

    def arguments(self, kind: str, policy: PolicyText, *options: str) -> list[str]:
        """Return its command line, with its policy written."""
        return [
            *self.launcher,
            kind,
            "run",
            f"--kubeconfig={self.kubeconfig or self.plane.admin_kubeconfig}",
            f"--policy={self.write(policy)}",
            "--log-level=debug",
            f"--pod-name={self.name}",
            *options,
        ]

    def write(self, policy: PolicyText) -> Path:
        """Write the policy and put it in its place at once, as a ConfigMap does."""
        text = policy if isinstance(policy, str) else yaml.safe_dump(dict(policy), sort_keys=False)
        return self.plane.run.write(f"{self.name}-policy.new", text).replace(
            self.plane.run.folder / f"{self.name}-policy.yaml"
        )


class Service:
    """One running service and its pages; `program` has the switches (kill, pause, resume, restart, tail)."""

    def __init__(self, program: Program, start: Start, *, admin: int) -> None:
        self.program = program
        self.start = start
        self.admin = f"http://127.0.0.1:{admin}"
        self._session = requests.Session()
        self._session.trust_env = False

    def __enter__(self) -> Self:
        self.program.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()
        self.program.stop()

    @property
    def name(self) -> str:
        """Return the name of its pod and of its log."""
        return self.start.name

    def use(self, policy: PolicyText) -> None:
        """Give it another policy while it runs."""
        self.start.write(policy)

    def readyz(self) -> dict[str, Any]:
        """Return what it says of its readiness, whatever the status."""
        return self._json("/readyz")

    def metric(self, name: str, **labels: str) -> float:
        """Return the sum of the samples of this name that have these labels; 0 if there is none."""
        return sum(value for found, value in self.samples(name) if labels.items() <= found.items())

    def samples(self, name: str) -> list[tuple[dict[str, str], float]]:
        """Return labels and value of every sample of this name."""
        text = self._session.get(f"{self.admin}/metrics", timeout=10).text
        families = text_string_to_metric_families(text)
        return [(one.labels, one.value) for family in families for one in family.samples if one.name == name]

    def _json(self, path: str, **query: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._session.get(self.admin + path, params=query, timeout=10).json()
        return answer


class Extender(Service):
    """A running extender; `url` is what a KubeSchedulerConfiguration wants."""

    def __init__(self, program: Program, start: Start, *, admin: int, port: int, node: str) -> None:
        super().__init__(program, start, admin=admin)
        self.url = f"http://127.0.0.1:{port}/v1"
        self._node = node

    def __enter__(self) -> Self:
        if self._node:
            self._make_pod()
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self.start.plane.admin.delete(f"{PODS}/{self.name}", gracePeriodSeconds="0")

    def explain(self, pod: str) -> dict[str, Any]:
        """Return what it would answer for a pod (`namespace/name`)."""
        return self._json("/explain", pod=pod)

    def nodes(self, pod: str) -> dict[str, dict[str, Any]]:
        """Return what it would answer for a pod, by node."""
        return {entry["node"]: entry for entry in self.explain(pod).get("nodes", ())}

    def _make_pod(self) -> None:
        api = self.start.plane.admin
        account = f"/api/v1/namespaces/{OWN}/serviceaccounts/default"
        wait_until(lambda: api.find(account), f"the default ServiceAccount of {OWN}")
        api.create(PODS, objects.pod(self.name, PodShape(cpu="10m", spec={"nodeName": self._node})))


@contextmanager
def installed(plane: ControlPlane) -> Iterator[Services]:
    """Bring in Bayplan's CRDs and namespace, and take away afterwards what its services wrote there."""
    kinds = ("evictionrecords", "deschedulerreports", "placementplans", "planslots")
    definitions = [f"{kind}.bayplan.dev" for kind in kinds]
    if not all(plane.admin.find(f"{_DEFINITIONS}/{name}") for name in definitions):
        plane.kubectl("apply", "-f", str(_CRDS))
    plane.wait_established(*definitions)
    if plane.admin.find(f"/api/v1/namespaces/{OWN}") is None:
        plane.admin.create("/api/v1/namespaces", {"metadata": {"name": OWN}})
    try:
        yield Services(plane)
    finally:
        for path in (RECORDS, REPORTS, LEASES, SLOTS, PLANS):
            plane.admin.delete(path)


def _merged(given: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(given)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, Mapping) else value
    return merged
