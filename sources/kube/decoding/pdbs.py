"""PodDisruptionBudgets; judges nothing."""

from collections.abc import Mapping
from typing import Any

from policies.values.pdbs import Pdb
from sources.kube.decoding.selectors import label_selector
from sources.kube.decoding.sharing import word


def decode_pdb(raw: Mapping[str, Any]) -> Pdb:
    """Read a PDB; what its controller said of an older generation is not known for this one.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    metadata, spec, status = raw["metadata"], raw.get("spec") or {}, raw.get("status") or {}
    current = status.get("observedGeneration", -1) >= metadata.get("generation", 0)
    allowed = status.get("disruptionsAllowed") if current else None
    return Pdb(
        namespace=word(metadata["namespace"]),
        name=metadata["name"],
        selector=label_selector(spec.get("selector")),
        disruptions_allowed=None if allowed is None else int(allowed),
        healthy=int(status.get("currentHealthy") or 0),
        desired_healthy=int(status.get("desiredHealthy") or 0),
        always_allows_unhealthy=spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow",
    )
