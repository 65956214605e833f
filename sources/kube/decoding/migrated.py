"""In-tree volumes that Kubernetes hands over to a CSI driver, and to which; judges nothing.

Only those whose number kube-scheduler limits, as of Kubernetes 1.37: an in-tree volume of another kind has no driver.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from policies.values.volumes import Attachment
from sources.kube.decoding.sharing import word_or_none


class _Migrated(NamedTuple):
    provisioner: str  # what a StorageClass calls it
    driver: str
    identity: str  # the member of a volume's source that tells one disk from another


# By the member of a PersistentVolume's or a pod's volume that holds the source.
_SOURCES: Final[Mapping[str, _Migrated]] = {
    "awsElasticBlockStore": _Migrated("kubernetes.io/aws-ebs", "ebs.csi.aws.com", "volumeID"),
    "gcePersistentDisk": _Migrated("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "pdName"),
    "azureDisk": _Migrated("kubernetes.io/azure-disk", "disk.csi.azure.com", "diskURI"),
    "cinder": _Migrated("kubernetes.io/cinder", "cinder.csi.openstack.org", "volumeID"),
    "portworxVolume": _Migrated("kubernetes.io/portworx-volume", "pxd.portworx.com", "volumeID"),
}
_DRIVERS: Final = {each.provisioner: each.driver for each in _SOURCES.values()}


def driver_of(provisioner: str | None) -> str | None:
    """Return the CSI driver behind a StorageClass's provisioner, which is a driver's own name or an in-tree one."""
    return word_or_none(_DRIVERS.get(provisioner, provisioner) if provisioner else None)


def disk_of(source: Mapping[str, Any]) -> Attachment | None:
    """Return the disk behind an in-tree volume that a driver attaches, None where it is another volume.

    Raises:
        KeyError, TypeError: malformed.
    """
    for member, migrated in _SOURCES.items():
        if member in source:
            return Attachment(migrated.driver, str(source[member][migrated.identity]))
    return None
