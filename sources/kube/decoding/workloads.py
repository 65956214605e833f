"""Controllers and the workloads above them: how many are wanted, and whether a rollout is under way.

A rollout is told from what the controller itself last said; where that is about an older generation, it is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from policies.values.pods import Owner
from policies.values.workloads import Workload, WorkloadRef
from sources.kube.decoding.pods import controller_of
from sources.kube.decoding.sharing import word

_Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """An object that makes pods, with its own controller if it has one (a ReplicaSet under a Deployment)."""

    workload: Workload
    owner: Owner | None = None


def decode_deployment(raw: _Raw) -> Controller:
    """Read a Deployment.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    return _controller("Deployment", raw, wanted=_wanted(raw), rollout=_stale(raw) or _replacing(raw) or _scaling(raw))


def decode_replica_set(raw: _Raw) -> Controller:
    """Read a ReplicaSet, whole or its metadata only; of the latter nothing but the owner is known.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    if "spec" not in raw:
        return _controller("ReplicaSet", raw)
    return _controller("ReplicaSet", raw, wanted=_wanted(raw), rollout=_stale(raw) or _scaling(raw))


def decode_stateful_set(raw: _Raw) -> Controller:
    """Read a StatefulSet.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    rollout = _stale(raw) or _rolling_stateful_set(raw) or _scaling(raw)
    revision = (raw.get("status") or {}).get("updateRevision")
    return _controller("StatefulSet", raw, wanted=_wanted(raw), rollout=rollout, update_revision=revision or None)


def decode_daemon_set(raw: _Raw) -> Controller:
    """Read a DaemonSet.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    return _controller("DaemonSet", raw, rollout=_stale(raw))


def decode_job(raw: _Raw) -> Controller:
    """Read a Job.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: malformed.
    """
    return _controller("Job", raw)


def _controller(kind: str, raw: _Raw, **known: Any) -> Controller:  # noqa: ANN401  # fields of Workload
    metadata = raw["metadata"]
    ref = WorkloadRef(kind, word(metadata["namespace"]), metadata["name"])
    annotations = metadata.get("annotations") or {}
    workload = Workload(ref=ref, uid=metadata["uid"], annotations=annotations, **known)
    return Controller(workload=workload, owner=controller_of(metadata))


def _wanted(raw: _Raw) -> int:
    replicas = raw["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)


def _stale(raw: _Raw) -> str | None:
    generation = raw["metadata"].get("generation", 0)
    seen = (raw.get("status") or {}).get("observedGeneration", 0)
    return None if seen >= generation else f"its controller has seen generation {seen} of {generation}"


def _replacing(raw: _Raw) -> str | None:
    status = raw.get("status") or {}
    updated, existing = int(status.get("updatedReplicas") or 0), int(status.get("replicas") or 0)
    if existing > updated:
        return f"{existing - updated} of {existing} pods are of an older template"
    return None


def _scaling(raw: _Raw) -> str | None:
    wanted, existing = _wanted(raw), int((raw.get("status") or {}).get("replicas") or 0)
    return None if wanted == existing else f"being scaled: {existing} of {wanted} pods exist"


def _rolling_stateful_set(raw: _Raw) -> str | None:
    """Pods below the partition stay at the old revision for as long as it is set: that is no rollout.

    Nor is a StatefulSet with OnDelete, whose pods wait for somebody to delete them.
    """
    strategy, status = raw["spec"].get("updateStrategy") or {}, raw.get("status") or {}
    if strategy.get("type") == "OnDelete" or status.get("currentRevision") == status.get("updateRevision"):
        return None
    partition = int((strategy.get("rollingUpdate") or {}).get("partition") or 0)
    due, updated = max(0, _wanted(raw) - partition), int(status.get("updatedReplicas") or 0)
    return None if updated >= due else f"{updated} of {due} pods are of the new revision"
