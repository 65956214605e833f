"""Volumes of a CSI driver without the driver: claims bound to volumes by hand, CSINodes that say how many fit.

It makes objects and waits for kube-controller-manager to bind them; nobody attaches anything.
"""

from dataclasses import dataclass
from typing import Any, Final

from controlplane.objects import Object
from controlplane.waiting import wait_until
from tests.e2e.planning import Lot, Planning, small
from tests.e2e.scenes import Scene

DRIVER: Final = "disk.controlplane.test"
_SIZE: Final = "1Gi"


@dataclass(frozen=True, slots=True)
class Disks:
    """The disks of one scene."""

    scene: Scene

    def claim(self, name: str) -> list[dict[str, Any]]:
        """Make a claim with its volume, and return it as the `volumes` of a pod that uses it."""
        volume = self._volume(name)
        self.scene.create(_volume(volume, claim=name, namespace=self.scene.namespace))
        self.scene.create(_claim(name, volume=volume))
        path = f"/api/v1/namespaces/{self.scene.namespace}/persistentvolumeclaims/{name}"
        wait_until(lambda: self.scene.api.get(path)["status"].get("phase") == "Bound", f"claim {name} to be bound")
        return [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]

    def attach(self, name: str, node: str) -> str:
        """Leave the volume of a claim attached to a node, whoever uses it; return the path of the attachment."""
        spec = {"attacher": DRIVER, "nodeName": node, "source": {"persistentVolumeName": self._volume(name)}}
        head = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": self._volume(name)}}
        self.scene.create({**head, "spec": spec})
        return f"/apis/storage.k8s.io/v1/volumeattachments/{self._volume(name)}"

    def limit(self, node: str, most: int) -> None:
        """Let a node attach so many volumes, whatever it said before."""
        self.scene.api.delete(f"/apis/storage.k8s.io/v1/csinodes/{node}")
        driver = {"name": DRIVER, "nodeID": node, "allocatable": {"count": most}}
        self.scene.create(
            {
                "apiVersion": "storage.k8s.io/v1",
                "kind": "CSINode",
                "metadata": {"name": node},
                "spec": {"drivers": [driver]},
            }
        )

    def lower(self, node: str, most: int) -> None:
        """Let a node say that it can attach so many now, as a kubelet does while it runs."""
        driver = {"name": DRIVER, "nodeID": node, "allocatable": {"count": most}}
        self.scene.api.patch(f"/apis/storage.k8s.io/v1/csinodes/{node}", {"spec": {"drivers": [driver]}})

    def _volume(self, name: str) -> str:
        return f"{self.scene.name}-{name}"


def lay_out(plans: Planning, disks: Disks) -> tuple[str, str]:
    """Lay out an example with volumes, and return its nodes: `db` is to go from the second to the first one.

    There it would stand beside `log`; that makes room for a pod of 0.6 cores.
    """
    first, second = plans.scene.nodes(2, small())
    plans.lay_out(
        Lot(name="log", cpu="500m", nodes=[first], spec={"volumes": disks.claim("log")}),
        Lot(name="fixed", cpu="300m", nodes=[second]),
        Lot(name="db", cpu="400m", nodes=[second], spec={"volumes": disks.claim("data")}),
    )
    for app in ("log", "fixed"):
        plans.veto(app)
    plans.rules = plans.floor(0)
    return first, second


def _volume(name: str, *, claim: str, namespace: str) -> Object:
    spec = {
        "capacity": {"storage": _SIZE},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "",
        "persistentVolumeReclaimPolicy": "Retain",
        "claimRef": {"namespace": namespace, "name": claim},
        "csi": {"driver": DRIVER, "volumeHandle": name},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def _claim(name: str, *, volume: str) -> Object:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "",
        "volumeName": volume,
        "resources": {"requests": {"storage": _SIZE}},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}
