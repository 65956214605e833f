"""What is said of a cycle: events on pods, workloads and nodes, and log lines that name rail and numbers.

It writes the words only; who hears them is for the event writer and the logging set-up.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Final

from descheduler import eventing
from descheduler.decisions import CycleResult, Decision, Kind
from descheduler.eventing import Notice
from policies.values.clusters import Cluster
from policies.values.records import EvictionRecord, Landing, Verification
from policies.values.workloads import Workload, WorkloadRef

_LOG: Final = logging.getLogger(__name__)
_REASONS: Final = {
    Kind.EVICTED: "Evicted",
    Kind.OBSERVED: "WouldEvict",
    Kind.UNKNOWN: "EvictionUnknown",
    Kind.REFUSED: "EvictionRefused",
}
_LANDED: Final = {
    Landing.MOVED: "EvictionMoved",
    Landing.RETURNED: "EvictionReturned",
    Landing.SCALED_DOWN: "EvictionScaledDown",
    Landing.TIMED_OUT: "EvictionTimedOut",
}


def notices(result: CycleResult, cluster: Cluster) -> Iterator[Notice]:
    """Yield what there is to tell: evictions first, then landings, then refusals, as the writer may cut the end."""
    for line in result.decisions:
        if line.kind is not Kind.REFUSED:
            yield from _eviction(line, result.policy_hash, cluster.workloads)
    for record, seen in result.landed:
        yield from _landing(record, seen, cluster.workloads)
    for line in result.decisions:
        if line.kind is Kind.REFUSED:
            yield from _refusal(line, result.policy_hash, cluster)


def _refusal(line: Decision, policy_hash: str, cluster: Cluster) -> Iterator[Notice]:
    """Tell the pod, or whom a refused proposal without candidates is about: the workload, or else the node."""
    reason = _REASONS[line.kind]
    if line.pod is not None:
        message = f"not evicted ({line.rail}): {line.message}. {_why(line, policy_hash)}"
        yield eventing.about_pod(line.pod, reason=reason, message=message, key=line.rail)
        return
    message = f"nobody evicted ({line.rail}): {line.message}. {_why(line, policy_hash)}"
    if line.workload is not None:
        # Objectives that a workload misses are told apart: `trouble` is the objective's name and the workload's.
        yield from _to_workload(line.workload, cluster.workloads, reason, message, f"{line.rail}/{line.trouble}")
    elif line.node is not None:
        uid = cluster.nodes[line.node].uid if line.node in cluster.nodes else ""
        yield eventing.about_node(line.node, uid, reason=reason, message=message, key=f"{line.rail}/{line.rule}")


def _eviction(line: Decision, policy_hash: str, workloads: Mapping[WorkloadRef, Workload]) -> Iterator[Notice]:
    if line.pod is None:
        return
    verb = {Kind.EVICTED: "evicted", Kind.OBSERVED: "would be evicted"}.get(line.kind, "perhaps evicted (no answer)")
    route = f"from {line.node} to {line.destination or 'wherever it fits'}"
    message = f"{line.pod} {verb} {route}. {_why(line, policy_hash)}"
    yield eventing.about_pod(line.pod, reason=_REASONS[line.kind], message=message)
    yield from _to_workload(line.workload, workloads, _REASONS[line.kind], message, line.pod.uid)


def _why(line: Decision, policy_hash: str) -> str:
    return f"Rule {line.rule}: {line.reason or line.trouble} (policy {policy_hash})"


def _landing(record: EvictionRecord, seen: Verification, workloads: Mapping[WorkloadRef, Workload]) -> Iterator[Notice]:
    where = f"; the replacement {seen.replacement} is on {seen.node or 'no node'}" if seen.replacement else ""
    message = (
        f"eviction of {record.namespace}/{record.pod} from {record.node} (rule {record.rule}): {seen.landing}{where}"
    )
    yield from _to_workload(
        record.workload or record.controller, workloads, _LANDED[seen.landing], message, record.name
    )


def _to_workload(
    ref: WorkloadRef | None, workloads: Mapping[WorkloadRef, Workload], reason: str, message: str, key: str
) -> Iterator[Notice]:
    if ref is not None:
        uid = workloads[ref].uid if ref in workloads else ""
        yield eventing.about_workload(ref, uid, reason=reason, message=message, key=key)


class Teller:
    """Logs decisions; a refusal that stays the same from cycle to cycle is said once, not every few seconds."""

    def __init__(self) -> None:
        self._said: frozenset[tuple[str, str]] = frozenset()

    def log(self, result: CycleResult) -> None:
        """Log a cycle."""
        said = {(_who(line), line.rail) for line in result.decisions if line.kind is Kind.REFUSED}
        for line in result.decisions:
            known = (_who(line), line.rail) in self._said
            _LOG.log(_level(line, known=known), "%s", _sentence(line), extra=_fields(line))
        for record, seen in result.landed:
            _LOG.info("eviction %s of %s/%s: %s", record.name, record.namespace, record.pod, seen.landing)
        for step, text in result.troubles.items():
            level = logging.DEBUG if ("", f"{step}{text}") in self._said else logging.WARNING
            _LOG.log(level, "no eviction rests on what is not known: %s: %s", step, text)
        self._said = frozenset(said | {("", f"{step}{text}") for step, text in result.troubles.items()})
        level = logging.INFO if result.decisions else logging.DEBUG
        _LOG.log(level, "cycle: %s, %s, %.2f s", result.mode, result.summary(), result.duration)


def _level(line: Decision, *, known: bool) -> int:
    if line.kind is Kind.REFUSED:
        return logging.DEBUG if known else logging.INFO
    return logging.WARNING if line.kind is Kind.UNKNOWN else logging.INFO


def _who(line: Decision) -> str:
    """Name what a decision is about, the same from cycle to cycle: the trouble of a node holds figures that change."""
    return str(line.pod or line.node or line.trouble)


def _sentence(line: Decision) -> str:
    who = str(line.pod or line.trouble)
    if line.kind is Kind.REFUSED:
        return f"{who} refused by {line.rail}: {line.message} [{line.rule}]"
    return f"{who} {line.kind} from {line.node} to {line.destination}: {line.reason} [{line.rule}] ({line.answer})"


def _fields(line: Decision) -> dict[str, object]:
    return {
        "decision": line.kind.value,
        "rule": line.rule,
        "rail": line.rail,
        "pod": None if line.pod is None else str(line.pod),
        "node": line.node,
        "destination": line.destination,
        "evidence": dict(line.evidence),
    }
