"""Paths and bodies that tests of writes share."""

from simulator.jsons import Raw

LEASES = "/apis/coordination.k8s.io/v1/namespaces/bayplan-system/leases"
PODS = "/api/v1/namespaces/default/pods"
RECORDS = "/apis/bayplan.dev/v1alpha1/namespaces/bayplan-system/evictionrecords"
MERGE = "application/merge-patch+json"


def new(name: str, **more: object) -> Raw:
    return {"metadata": {"name": name}, **more}
