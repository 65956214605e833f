"""The kinds that decisions rest on, by their name in the API's paths; the keys of `Cluster.unreadable`."""

from collections.abc import Mapping
from typing import Final

NODES: Final = "nodes"
PODS: Final = "pods"
PDBS: Final = "poddisruptionbudgets"
CLAIMS: Final = "persistentvolumeclaims"
VOLUMES: Final = "persistentvolumes"
STORAGE_CLASSES: Final = "storageclasses"
CSI_NODES: Final = "csinodes"
CSI_DRIVERS: Final = "csidrivers"
VOLUME_ATTACHMENTS: Final = "volumeattachments"
NAMESPACES: Final = "namespaces"
DEPLOYMENTS: Final = "deployments"
REPLICA_SETS: Final = "replicasets"
STATEFUL_SETS: Final = "statefulsets"
DAEMON_SETS: Final = "daemonsets"
JOBS: Final = "jobs"
RECORDS: Final = "evictionrecords"
PLANS: Final = "placementplans"
SLOTS: Final = "planslots"
LEASES: Final = "leases"

# Which list tells whether a workload is still there; of other kinds nobody lists, so that absence says nothing.
LISTS_OF: Final[Mapping[str, str]] = {
    "Deployment": DEPLOYMENTS,
    "ReplicaSet": REPLICA_SETS,
    "StatefulSet": STATEFUL_SETS,
}
