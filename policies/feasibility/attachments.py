"""How many volumes of a CSI driver a pod needs attached, and how many a node can attach, as resources like others.

A volume that several pods of a node share counts once for each of them: that is too many, never too few.
"""

from collections import Counter
from typing import Final

from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.resources import Resources
from policies.values.volumes import ATTACHMENTS

_UNLIMITED: Final = 2**31  # arbitrary: more volumes than all pods of a cluster have


def with_attachments(pod: Pod, cluster: Cluster) -> Resources:
    """Return what a pod requests, and one attachment of its driver for each of its volumes."""
    if not pod.claims:
        return pod.requests
    claims = (cluster.claims.get(f"{pod.namespace}/{name}") for name in pod.claims)
    volumes = (cluster.volumes.get(claim.volume or "") for claim in claims if claim is not None)
    drivers = Counter(volume.driver for volume in volumes if volume is not None and volume.driver is not None)
    return pod.requests + Resources({f"{ATTACHMENTS}{driver}": count for driver, count in drivers.items()})


def capacity(node: Node, name: str) -> int:
    """Return what a node has; one that says nothing of a driver's attachments has as many as anybody may ask for."""
    if name.startswith(ATTACHMENTS) and name not in node.allocatable.amounts:
        return _UNLIMITED
    return node.allocatable[name]
