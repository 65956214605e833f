"""Bayplan as the shipped manifests say: objects applied with kubectl, processes with their arguments and rights.

KWOK only pretends to run pods, so the processes are started here, each for one pod that the cluster really has. What
differs from a container is listed in `Container.command`: addresses, ports, and where files are.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from controlplane.clusters import ControlPlane
from controlplane.objects import Object
from controlplane.processes import Command, Program
from controlplane.waiting import wait_until
from launching.installing import KINDS
from launching.launches import BAYPLAN, DIRECT
from launching.paths import PODS
from tests import manifests
from tests.manifests import DEPLOY, NAMESPACE, pod_spec


@dataclass(frozen=True, slots=True)
class Layout:
    """One layout on one control plane; `certificates` stands for the folders in which the manifests have them."""

    plane: ControlPlane
    name: str
    certificates: Path = Path("/nowhere")

    def here(self, path: str) -> str:
        """Return where a file of a container or of a host is on this machine."""
        return re.sub(r"^/etc/(bayplan-tls|kubernetes/bayplan)/", f"{self.certificates}/", path)

    def apply(self) -> None:
        """Apply it as an operator does, and read each kind once.

        A kind that is deleted before anybody has read it may stay for minutes: the API server says, again and again,
        that its storage is still being initialised.
        """
        self._kubectl("apply", "-k", str(DEPLOY / self.name))
        ours = ("crd", "-l", "app.kubernetes.io/name=bayplan")
        self._kubectl("wait", "--for=condition=Established", "--timeout=30s", *ours)
        self._kubectl("-n", NAMESPACE, "get", ",".join(KINDS))

    def remove(self) -> None:
        """Remove it as an operator does, and wait until the namespace is gone.

        The pods go first: a namespace waits for half of their grace period, whatever became of them.
        """
        for kinds in ("cronjobs,jobs,deployments,daemonsets", "pods"):
            force = ("--force", "--grace-period=0") if kinds == "pods" else ()
            self._kubectl("-n", NAMESPACE, "delete", kinds, "--all", "--ignore-not-found", *force)
        self._kubectl("delete", "-k", str(DEPLOY / self.name), "--ignore-not-found", "--timeout=120s")

    def _kubectl(self, *arguments: str) -> None:
        try:
            self.plane.kubectl(*arguments)
        except subprocess.CalledProcessError as error:
            error.add_note(error.stderr)
            raise

    def pods(self, component: str) -> list[Object]:
        """Return the pods of one component."""
        selector = f"app.kubernetes.io/component={component},app.kubernetes.io/name=bayplan"
        return self.plane.admin.items(PODS, labelSelector=selector)

    def wait_running(self, component: str, count: int) -> list[Object]:
        """Wait until the cluster has let at least so many pods of a component in, and return them all.

        There may be more: the CronJob has its own times.
        """
        wait_until(
            lambda: len(running := self.pods(component)) >= count and all(_runs(pod) for pod in running),
            f"{count} running pods of {component}",
            timeout=60,
            seen=lambda: (
                [(pod["metadata"]["name"], pod["status"]) for pod in self.pods(component)]
                or self.plane.kubectl("-n", NAMESPACE, "get", "events")
            ),
        )
        return self.pods(component)

    def container(self, workload: str, name: str) -> "Container":
        """Return a container of a workload, with its ServiceAccount."""
        (found,) = [
            one
            for one in manifests.containers(self.name)
            if (one.workload["metadata"]["name"], one.raw["name"]) == (workload, name)
        ]
        return Container(self, found)

    def config_map(self, name: str, key: str) -> str:
        """Return a file of a ConfigMap as it is in the cluster, whose name may end in a hash of its content."""
        found = self.plane.admin.items(f"/api/v1/namespaces/{NAMESPACE}/configmaps")
        (one,) = [raw for raw in found if re.fullmatch(rf"{name}(-[a-z0-9]{{10}})?", raw["metadata"]["name"])]
        text: str = one["data"][key]
        return text


@dataclass(frozen=True, slots=True)
class Container:
    """What one container of a layout runs."""

    layout: Layout
    shipped: manifests.Container

    @property
    def account(self) -> str:
        """Return the ServiceAccount that it has its rights from."""
        name: str = pod_spec(self.shipped.workload)["serviceAccountName"]
        return name

    def port(self, flag: str) -> int:
        """Return the port that stands for one of the manifest here."""
        return self.layout.plane.run.port(f"{self.layout.name}{flag}{self.shipped.workload['metadata']['name']}")

    def program(self, name: str, pod: Object, *, policy: str) -> Program:
        """Return it as a program of this machine, for one pod of the cluster; `name` names its log."""
        run = self.layout.plane.run
        token = self.layout.plane.service_account_token(NAMESPACE, self.account)
        environment = {
            "BAYPLAN_KUBECONFIG": str(self.layout.plane.kubeconfig(name, token)),
            "BAYPLAN_POLICY": str(run.write(f"{name}-policy.yaml", policy)),
            **DIRECT,
            **{entry["name"]: self._downward(entry, pod) for entry in self.shipped.raw["env"]},
        }
        arguments = [BAYPLAN, *map(self._here, self.shipped.raw["args"])]
        return run.program(Command(name=name, arguments=arguments, environment=environment))

    def _here(self, argument: str) -> str:
        flag, given, value = argument.partition("=")
        if flag in {"--host", "--admin-host"}:
            return f"{flag}=127.0.0.1"
        if flag in {"--port", "--admin-port"}:
            return f"{flag}={self.port(flag)}"
        return f"{flag}{given}{self.layout.here(value)}"

    def _downward(self, entry: Object, pod: Object) -> str:
        value: Object | str = pod
        for part in entry["valueFrom"]["fieldRef"]["fieldPath"].split("."):
            value = value[part] if isinstance(value, dict) else ""
        return str(value)


def _runs(pod: Object) -> bool:
    return pod["status"].get("phase") in {"Running", "Succeeded"}  # KWOK ends the pods of Jobs at once
