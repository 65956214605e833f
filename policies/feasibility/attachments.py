"""Which volumes a pod needs attached, by CSI driver, and how many of a driver each node can attach; closes no node.

A volume without a driver, or a claim of which nothing is known, needs nothing: other predicates speak of those. So
does a `csi` volume written into the pod: its driver mounts it without attaching anything.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from policies.feasibility.rows import Rows
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.volumes import ATTACHMENTS, Attachment, Volume, VolumeAttachment

UNLIMITED: Final = 2**31  # arbitrary: more volumes than all pods of a cluster have
_NONE: Final = frozenset[Attachment]()


def attachments(pod: Pod, cluster: Cluster) -> frozenset[Attachment]:
    """Return the volumes that a pod needs attached wherever it stands, each once."""
    if not pod.claims and not pod.disks:
        return _NONE
    claimed = (_behind(f"{pod.namespace}/{name}", cluster) for name in pod.claims)
    return frozenset({*pod.disks, *(each for each in claimed if each is not None)})


def alike(pod: Pod, cluster: Cluster, *, of: str) -> tuple[Attachment, ...]:
    """Return as many volumes of the same drivers for somebody who is like a pod, shared with nobody else."""
    return tuple(Attachment(each.driver, f"{each.volume} of {of}") for each in attachments(pod, cluster))


def _behind(key: str, cluster: Cluster) -> Attachment | None:
    """Return the volume behind a claim; where there is none yet, one of its class that is nobody else's."""
    claim = cluster.claims.get(key)
    if claim is None:
        return None
    volume = cluster.volumes.get(claim.volume or "")
    if volume is not None:
        return None if volume.driver is None else Attachment(volume.driver, _disk(volume))
    storage = cluster.storage_classes.get(claim.storage_class or "")
    return None if storage is None or storage.driver is None else Attachment(storage.driver, f"claim {key}")


def _disk(volume: Volume) -> str:
    return volume.handle or f"volume {volume.name}"


def attached(cluster: Cluster) -> Iterator[tuple[str, Attachment]]:
    """Yield the volumes that stand attached to nodes, with the node, whether a pod there uses them or none any more."""
    for each in cluster.volume_attachments.values():
        volume = _what(each, cluster)
        if volume is not None:
            yield each.node, volume


def without_users(cluster: Cluster, pods: Iterable[Pod]) -> Mapping[str, VolumeAttachment]:
    """Return what stands attached to nodes but for the sake of some pods there."""
    if not cluster.volume_attachments:
        return cluster.volume_attachments
    used = {(pod.node, volume) for pod in pods for volume in attachments(pod, cluster)}
    standing = cluster.volume_attachments.items()
    return {name: each for name, each in standing if (each.node, _what(each, cluster)) not in used}


def _what(attachment: VolumeAttachment, cluster: Cluster) -> Attachment | None:
    volume = cluster.volumes.get(attachment.volume)
    return None if volume is None else Attachment(attachment.driver, _disk(volume))


def unread(cluster: Cluster) -> str | None:
    """Return why it is not known how many volumes more nodes can attach, None where it is."""
    for kind in (kinds.CSI_NODES, kinds.CSI_DRIVERS, kinds.VOLUME_ATTACHMENTS):
        if kind in cluster.unreadable:
            return f"{kind} could not be read, so attach limits are unknown: {cluster.unreadable[kind]}"
    return None


def limit(node: Node, driver: str, cluster: Cluster) -> int | None:
    """Return how many volumes of a driver a node can attach, None where no limit is known.

    A limit that the node itself declares, as older ones do, holds too.
    """
    csi = cluster.csi_nodes.get(node.name)
    said = (None if csi is None else csi.attachable.get(driver), node.allocatable.amounts.get(f"{ATTACHMENTS}{driver}"))
    return min((count for count in said if count is not None), default=None)


def limits(rows: Rows, driver: str, cluster: Cluster) -> NDArray[np.int64]:
    """Return how many volumes of a driver each node can attach, `UNLIMITED` where no limit is known."""
    known = (limit(node, driver, cluster) for node in rows.nodes)
    return np.array([UNLIMITED if count is None else count for count in known], np.int64)
