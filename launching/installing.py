"""Brings in what Bayplan's services find in a cluster before they start: its kinds and its namespace; no rights."""

from typing import Final

from controlplane.clusters import ControlPlane
from launching.paths import DEPLOY, OWN

KINDS: Final = ("evictionrecords", "deschedulerreports", "placementplans", "planslots")
_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAMESPACES: Final = "/api/v1/namespaces"


def install(plane: ControlPlane) -> None:
    """Apply the shipped CRDs, wait until they are served, and make the namespace; what is there already stays."""
    names = [f"{kind}.bayplan.dev" for kind in KINDS]
    if not all(plane.admin.find(f"{_DEFINITIONS}/{name}") for name in names):
        plane.kubectl("apply", "-f", str(DEPLOY / "common/crds"))
    plane.wait_established(*names)
    if plane.admin.find(f"{_NAMESPACES}/{OWN}") is None:
        plane.admin.create(_NAMESPACES, {"metadata": {"name": OWN}})
