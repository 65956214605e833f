"""PlacementPlans and the PlanSlot as objects of the cluster and back; it reads and writes nothing by itself.

The plan's name, UID and creationTimestamp are the object's. `spec` is what was decided (and a person's `abort`),
`status` how far it got.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from policies.values.plans import (
    Headcount,
    Plan,
    PlanAction,
    PlanCondition,
    PlanEntry,
    PlanPhase,
    PlanProgress,
    PlanSlot,
    Quota,
)
from policies.values.pods import HostPort
from policies.values.resources import CPU, Resources
from sources.kube.custom import API_VERSION, custom_path, decode_ref, encode_ref, member
from sources.kube.decoding.amounts import resources
from sources.kube.decoding.times import rfc3339, unix_seconds, unix_seconds_or_none

SLOT_NAME: Final = "active"
MOST_ENTRIES: Final = 500
MOST_BYTES: Final = 256 * 1024  # etcd takes 1.5 MiB; every status write and every watch carries the whole object


def plans_path(namespace: str, name: str | None = None) -> str:
    """Return the path of all plans, or of one."""
    return custom_path(namespace, "placementplans", name)


def slots_path(namespace: str, name: str | None = None) -> str:
    """Return the path of all slots (there is one, `SLOT_NAME`), or of one."""
    return custom_path(namespace, "planslots", name)


def oversize(plan: Plan, namespace: str) -> str | None:
    """Say in words why a plan is too large for one object, None where it is not."""
    if len(plan.entries) > MOST_ENTRIES:
        return f"{len(plan.entries)} entries; allowed are {MOST_ENTRIES}"
    size = len(json.dumps(encode_plan(plan, namespace)))
    return f"{size} bytes; allowed are {MOST_BYTES}" if size > MOST_BYTES else None


def encode_plan(plan: Plan, namespace: str) -> dict[str, Any]:
    """Return the whole object as it is created or replaced."""
    metadata = {"name": plan.name, "namespace": namespace}
    if plan.resource_version:
        metadata["resourceVersion"] = plan.resource_version
    return {
        "apiVersion": API_VERSION,
        "kind": "PlacementPlan",
        "metadata": metadata,
        "spec": _encode_spec(plan),
        "status": encode_plan_status(plan),
    }


def encode_plan_status(plan: Plan) -> dict[str, Any]:
    """Return what changes during a plan's life."""
    wanted = {action: sum(entry.action is action for entry in plan.entries) for action in PlanAction}
    return {
        "phase": plan.phase.value,
        "reason": plan.reason,
        "placed": f"{plan.progress.placed}/{wanted[PlanAction.PLACE]}",
        "moved": f"{plan.progress.moved}/{wanted[PlanAction.MOVE]}",
        "evicted": f"{plan.progress.evicted}/{wanted[PlanAction.EVICT]}",
        "finishedAt": None if plan.finished_at is None else rfc3339(plan.finished_at),
        "conditions": [_encode_condition(condition) for condition in plan.conditions],
    }


def _encode_spec(plan: Plan) -> dict[str, Any]:
    return _present(
        {
            "revision": plan.revision,
            "trigger": plan.trigger,
            "mode": "observe" if plan.observing else "enforce",
            "hold": plan.hold,
            "blocking": plan.blocking,
            "entries": [_encode_entry(entry) for entry in plan.entries],
            "quotas": [_encode_quota(quota) for quota in plan.quotas],
            "headcounts": [_encode_headcount(count) for count in plan.headcounts],
            "vector": dict(plan.vector),
            "writer": plan.writer,
            "policyHash": plan.policy_hash,
            "abort": plan.abort,
        }
    )


def _encode_entry(entry: PlanEntry) -> dict[str, Any]:
    return _present(
        {
            "action": entry.action.value,
            "namespace": entry.namespace,
            "pod": entry.pod,
            "uid": entry.uid,
            "source": entry.source,
            "target": entry.target,
            "workload": encode_ref(entry.workload),
            "controller": encode_ref(entry.controller),
            "requests": _amounts(entry.requests),
            "hostPorts": _ports(entry.host_ports),
            "priority": entry.priority,
            "graceSeconds": entry.grace_seconds,
            "reason": entry.reason,
        }
    )


def _encode_quota(quota: Quota) -> dict[str, Any]:
    return _present(
        {
            "controller": encode_ref(quota.controller),
            "node": quota.node,
            "wanted": quota.wanted,
            "requests": _amounts(quota.requests),
            "hostPorts": _ports(quota.host_ports),
            "priority": quota.priority,
        }
    )


def _encode_headcount(count: Headcount) -> dict[str, Any]:
    return _present(
        {
            "controller": encode_ref(count.controller),
            "requests": _amounts(count.requests),
            "unplaced": count.unplaced,
            "replicas": count.replicas,
        }
    )


def _encode_condition(condition: PlanCondition) -> dict[str, Any]:
    return {
        "type": condition.kind,
        "status": "True" if condition.met else "False",
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": rfc3339(condition.at),
    }


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _amounts(amounts: Resources) -> dict[str, str]:
    return {name: f"{amount}m" if name == CPU else str(amount) for name, amount in amounts.amounts.items()}


def _ports(ports: tuple[HostPort, ...]) -> list[dict[str, Any]] | None:
    return [{"port": one.port, "protocol": one.protocol, "address": one.address} for one in ports] or None


def decode_plan(raw: Mapping[str, Any]) -> Plan:
    """Read a plan; a phase that this version does not know reads as Aborted: nobody obeys what he cannot follow.

    Raises:
        KeyError, TypeError, ValueError: the object is not a plan; `sources.kube.decoding.tolerant` tells which.
    """
    metadata, spec, status = raw["metadata"], raw["spec"], raw.get("status") or {}
    return Plan(
        name=metadata["name"],
        uid=metadata.get("uid") or "",
        revision=int(spec["revision"]),
        phase=member(PlanPhase, status.get("phase"), PlanPhase.ABORTED),
        reason=status.get("reason") or "",
        trigger=spec.get("trigger") or "",
        hold=spec.get("hold") or "reservations",
        blocking=bool(spec.get("blocking")),
        observing=spec.get("mode") == "observe",
        entries=tuple(_decode_entry(one) for one in spec.get("entries") or ()),
        quotas=tuple(_decode_quota(one) for one in spec.get("quotas") or ()),
        headcounts=tuple(_decode_headcount(one) for one in spec.get("headcounts") or ()),
        abort=spec.get("abort"),
        writer=spec.get("writer") or "",
        policy_hash=spec.get("policyHash") or "",
        started_at=unix_seconds(metadata["creationTimestamp"]),
        finished_at=unix_seconds_or_none(status.get("finishedAt")),
        vector={name: int(value) for name, value in (spec.get("vector") or {}).items()},
        progress=_decode_progress(status),
        conditions=tuple(_decode_condition(one) for one in status.get("conditions") or ()),
        resource_version=metadata.get("resourceVersion") or "",
    )


def _decode_entry(raw: Mapping[str, Any]) -> PlanEntry:
    return PlanEntry(
        action=PlanAction(raw["action"]),
        namespace=raw["namespace"],
        pod=raw["pod"],
        uid=raw["uid"],
        source=raw.get("source"),
        target=raw.get("target"),
        workload=decode_ref(raw.get("workload")),
        controller=decode_ref(raw.get("controller")),
        requests=resources(raw.get("requests")),
        host_ports=_decode_ports(raw),
        priority=int(raw.get("priority") or 0),
        grace_seconds=float(raw.get("graceSeconds") or 0),
        reason=raw.get("reason") or "",
    )


def _decode_quota(raw: Mapping[str, Any]) -> Quota:
    controller = decode_ref(raw["controller"])
    if controller is None:
        raise ValueError("seen a quota without its controller; allowed is kind, namespace and name")
    return Quota(
        controller=controller,
        node=raw["node"],
        wanted=int(raw["wanted"]),
        requests=resources(raw.get("requests")),
        host_ports=_decode_ports(raw),
        priority=int(raw.get("priority") or 0),
    )


def _decode_headcount(raw: Mapping[str, Any]) -> Headcount:
    controller = decode_ref(raw["controller"])
    if controller is None:
        raise ValueError("seen a headcount without its controller; allowed is kind, namespace and name")
    replicas = raw.get("replicas")
    return Headcount(
        controller=controller,
        requests=resources(raw.get("requests")),
        unplaced=int(raw["unplaced"]),
        replicas=None if replicas is None else int(replicas),
    )


def _decode_ports(raw: Mapping[str, Any]) -> tuple[HostPort, ...]:
    return tuple(HostPort(int(one["port"]), one["protocol"], one["address"]) for one in raw.get("hostPorts") or ())


def _decode_progress(status: Mapping[str, Any]) -> PlanProgress:
    done = {name: int(str(status.get(name) or 0).partition("/")[0]) for name in ("placed", "moved", "evicted")}
    return PlanProgress(**done)


def _decode_condition(raw: Mapping[str, Any]) -> PlanCondition:
    return PlanCondition(
        kind=raw["type"],
        met=raw["status"] == "True",
        reason=raw.get("reason") or "",
        message=raw.get("message") or "",
        at=unix_seconds(raw["lastTransitionTime"]),
    )


def encode_slot(slot: PlanSlot, namespace: str) -> dict[str, Any]:
    """Return the slot as it is created or, with its resourceVersion, replaced."""
    metadata = {"name": SLOT_NAME, "namespace": namespace}
    if slot.resource_version:
        metadata["resourceVersion"] = slot.resource_version
    spec = {
        "plan": slot.plan,
        "planUID": slot.plan_uid,
        "revision": slot.revision,
        "holder": slot.holder,
        "renewal": slot.renewal,
    }
    return {"apiVersion": API_VERSION, "kind": "PlanSlot", "metadata": metadata, "spec": _present(spec)}


def decode_slot(raw: Mapping[str, Any]) -> PlanSlot:
    """Read the slot.

    Raises:
        KeyError, TypeError, ValueError: the object is not a slot.
    """
    spec = raw.get("spec") or {}
    return PlanSlot(
        plan=spec.get("plan") or None,
        plan_uid=spec.get("planUID") or "",
        revision=int(spec.get("revision") or 0),
        holder=spec.get("holder") or "",
        renewal=int(spec.get("renewal") or 0),
        resource_version=raw["metadata"].get("resourceVersion") or "",
    )
