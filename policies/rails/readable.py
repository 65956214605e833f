"""What could not be read is unknown, not empty: an eviction that rests on such a list is refused.

Nodes, pods, PDBs and records concern everybody; controllers, volumes and attach limits
(CSINodes, CSIDrivers, VolumeAttachments) only the pods that have them.
"""

from collections.abc import Iterator
from typing import Final

from policies.rails.situation import Situation
from policies.values import kinds
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal, Scope

RAIL: Final = "unreadable"
_EVERYBODY: Final = (kinds.NODES, kinds.PODS, kinds.PDBS, kinds.RECORDS)
_CONTROLLERS: Final = {
    "ReplicaSet": (kinds.REPLICA_SETS, kinds.DEPLOYMENTS),
    "StatefulSet": (kinds.STATEFUL_SETS,),
}
_ATTACHING: Final = (kinds.CSI_NODES, kinds.CSI_DRIVERS, kinds.VOLUME_ATTACHMENTS)
_VOLUMES: Final = (kinds.CLAIMS, kinds.VOLUMES, kinds.STORAGE_CLASSES)


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse where a list that the decision needs could not be read."""
    for kind, scope in _needed(candidate):
        cause = situation.cluster.unreadable.get(kind)
        if cause is not None:
            return Refusal(RAIL, f"{kind} could not be read, so they are unknown: {cause}", scope)
    return None


def _needed(candidate: Candidate) -> Iterator[tuple[str, Scope]]:
    for kind in _EVERYBODY:
        yield kind, Scope.CLUSTER
    owner = candidate.pod.owner
    for kind in _CONTROLLERS.get(owner.kind, ()) if owner else ():
        yield kind, Scope.POD
    for kind in _VOLUMES if candidate.pod.claims else ():
        yield kind, Scope.POD
    if candidate.pod.claims or candidate.pod.disks:
        yield from ((kind, Scope.POD) for kind in _ATTACHING)
