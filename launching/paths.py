"""Where Bayplan's own objects are in a cluster."""

from pathlib import Path
from typing import Final

OWN: Final = "bayplan-system"
_GROUP: Final = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}"
RECORDS: Final = f"{_GROUP}/evictionrecords"
REPORTS: Final = f"{_GROUP}/deschedulerreports"
REPORT: Final = f"{REPORTS}/descheduler"
PLANS: Final = f"{_GROUP}/placementplans"
SLOTS: Final = f"{_GROUP}/planslots"
LEASES: Final = f"/apis/coordination.k8s.io/v1/namespaces/{OWN}/leases"
PODS: Final = f"/api/v1/namespaces/{OWN}/pods"
# What an operator applies, as it is in this checkout.
DEPLOY: Final = Path(__file__).parents[1] / "deploy"
