"""EvictionRecords as objects of the cluster and back; it reads and writes nothing by itself.

The record's name is the object's name and its time is the server's `creationTimestamp`, so neither is in `spec`.
"""

from collections.abc import Mapping
from typing import Any

from policies.values.records import EvictionRecord, Landing, RecordState, Verification
from sources.kube.custom import API_VERSION, custom_path, decode_ref, encode_ref, finite, member
from sources.kube.decoding.times import unix_seconds


def records_path(namespace: str, name: str | None = None) -> str:
    """Return the path of all records, or of one."""
    return custom_path(namespace, "evictionrecords", name)


def reports_path(namespace: str, name: str | None = None) -> str:
    """Return the path of the descheduler's reports, or of one."""
    return custom_path(namespace, "deschedulerreports", name)


def encode_record(record: EvictionRecord, namespace: str) -> dict[str, Any]:
    """Return the whole object as it is created."""
    return {
        "apiVersion": API_VERSION,
        "kind": "EvictionRecord",
        "metadata": {"name": record.name, "namespace": namespace},
        "spec": _encode_spec(record),
        "status": encode_status(record),
    }


def _encode_spec(record: EvictionRecord) -> dict[str, Any]:
    spec = {
        "pod": {"namespace": record.namespace, "name": record.pod, "uid": record.pod_uid},
        "node": record.node,
        "workload": encode_ref(record.workload),
        "controller": encode_ref(record.controller),
        "rule": record.rule,
        "reason": record.reason,
        "destination": record.destination,
        "evidence": finite(record.evidence),
        "mode": "observe" if record.state is RecordState.OBSERVED else "enforce",
        "writer": record.writer,
        "policyHash": record.policy_hash,
    }
    return {key: value for key, value in spec.items() if value is not None}


def encode_status(record: EvictionRecord) -> dict[str, Any]:
    """Return what may change during a record's life; None takes a field away in a merge patch."""
    seen = record.verification
    replacement = {"name": seen.replacement, "uid": seen.replacement_uid} if seen.replacement is not None else None
    return {
        "state": record.state.value,
        "answer": record.answer,
        "landing": seen.landing.value,
        "replacement": replacement,
        "node": seen.node,
        "readyAt": seen.ready_at,
        "before": finite(seen.before),
        "after": finite(seen.after),
    }


def decode_record(raw: Mapping[str, Any]) -> EvictionRecord:
    """Read a record; a state or landing that this version does not know counts in full (`Unknown`, `Pending`).

    Raises:
        KeyError, TypeError, ValueError: the object is not a record; `sources.kube.decoding.tolerant` tells which.
    """
    metadata, spec, status = raw["metadata"], raw["spec"], raw.get("status") or {}
    pod = spec["pod"]
    return EvictionRecord(
        name=metadata["name"],
        pod_uid=pod["uid"],
        pod=pod["name"],
        namespace=pod["namespace"],
        node=spec.get("node") or "",
        rule=spec.get("rule") or "",
        reason=spec.get("reason") or "",
        at=unix_seconds(metadata["creationTimestamp"]),
        state=member(RecordState, status.get("state"), RecordState.UNKNOWN),
        workload=decode_ref(spec.get("workload")),
        controller=decode_ref(spec.get("controller")),
        destination=spec.get("destination"),
        writer=spec.get("writer") or "",
        policy_hash=spec.get("policyHash") or "",
        answer=status.get("answer") or "",
        evidence=_figures(spec.get("evidence")),
        verification=_decode_verification(status),
        resource_version=metadata.get("resourceVersion") or "",
    )


def _decode_verification(status: Mapping[str, Any]) -> Verification:
    replacement = status.get("replacement") or {}
    ready_at = status.get("readyAt")
    return Verification(
        landing=member(Landing, status.get("landing"), Landing.PENDING),
        replacement=replacement.get("name"),
        replacement_uid=replacement.get("uid"),
        node=status.get("node"),
        ready_at=None if ready_at is None else float(ready_at),
        before=_figures(status.get("before")),
        after=_figures(status.get("after")),
    )


def _figures(raw: Mapping[str, float] | None) -> dict[str, float]:
    return {name: float(figure) for name, figure in (raw or {}).items()}
