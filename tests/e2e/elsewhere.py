"""A second namespace for workloads of one scene, which can be deleted and made again; nobody watches it by itself."""

from dataclasses import dataclass
from typing import Any

from controlplane import objects
from controlplane.objects import Object
from controlplane.waiting import wait_until
from tests.e2e.planning import Planning
from tests.e2e.scenes import is_ready


@dataclass(frozen=True)
class Elsewhere:
    """The namespace; it ends with the scene."""

    plans: Planning

    @property
    def name(self) -> str:
        """Return its name."""
        return f"{self.plans.scene.namespace}-elsewhere"

    def make(self) -> None:
        """Create it, and wait until pods can be made in it."""
        self.plans.scene.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}})
        account = f"{self._path}/serviceaccounts/default"
        wait_until(lambda: self.plans.api.find(account), f"the default ServiceAccount of {self.name}")

    def drop(self) -> None:
        """Delete it, and wait until it is empty; its controller would begin with that after five seconds."""
        self.plans.api.delete(f"/apis/apps/v1/namespaces/{self.name}/deployments", propagationPolicy="Foreground")
        self.plans.api.delete(self._path)
        wait_until(lambda: not self.pods(), f"{self.name} to be empty")

    def wait_gone(self) -> None:
        """Wait until nothing of it is left."""
        wait_until(lambda: self.plans.api.find(self._path) is None, f"{self.name} to be gone")

    def workload(self, name: str, cpu: str, **spec: Any) -> None:  # fields of the pod's spec
        """Create a Deployment with one pod that our scheduler places; nobody waits for it."""
        body = objects.deployment(name, 1, self.plans.shape(cpu, **spec))
        self.plans.api.create(objects.collection(body, self.name), body)

    def pods(self) -> list[Object]:
        """Return its pods."""
        return self.plans.api.items(f"{self._path}/pods")

    def wait_ready(self) -> Object:
        """Wait until its only pod is Ready, and return it."""
        (pod,) = wait_until(lambda: [pod for pod in self.pods() if is_ready(pod)], f"a Ready pod in {self.name}")
        return pod

    @property
    def _path(self) -> str:
        return f"/api/v1/namespaces/{self.name}"
