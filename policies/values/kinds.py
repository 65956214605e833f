"""The kinds that decisions rest on, by their name in the API's paths; the keys of `Cluster.unreadable`."""

from typing import Final

NODES: Final = "nodes"
PODS: Final = "pods"
PDBS: Final = "poddisruptionbudgets"
CLAIMS: Final = "persistentvolumeclaims"
VOLUMES: Final = "persistentvolumes"
STORAGE_CLASSES: Final = "storageclasses"
NAMESPACES: Final = "namespaces"
DEPLOYMENTS: Final = "deployments"
REPLICA_SETS: Final = "replicasets"
STATEFUL_SETS: Final = "statefulsets"
DAEMON_SETS: Final = "daemonsets"
JOBS: Final = "jobs"
RECORDS: Final = "evictionrecords"
PLANS: Final = "placementplans"
SLOTS: Final = "planslots"
