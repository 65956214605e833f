"""The DeschedulerReport: one object with the last run and running totals, so that a short run leaves a trace.

Only the leader writes it. It is bounded: the newest run only, at most a hundred decisions, totals over our own words.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from descheduler.decisions import CycleResult, Decision, Kind
from policies.values.plans import Plan
from sources.kube import custom, errors
from sources.kube import records as codec
from sources.kube.api import KubeApi
from sources.kube.decoding.times import rfc3339
from sources.kube.plans import encode_plan_status

_LOG: Final = logging.getLogger(__name__)
NAME: Final = "descheduler"
MOST_DECISIONS: Final = 100
_LONGEST_TEXT: Final = 512
_TRIES: Final = 3


class Reporter:
    """Writes the report of one namespace."""

    def __init__(self, api: KubeApi, *, namespace: str) -> None:
        self._api = api
        self._namespace = namespace

    def write(self, result: CycleResult) -> bool:
        """Replace the last run and add to the totals; False where that failed, which stops nothing."""
        return self._change(
            lambda status: status | {"lastRun": last_run(result), "totals": added(status.get("totals") or {}, result)}
        )

    def write_plan(self, plan: Plan, *, outcome: str) -> bool:
        """Replace the last plan and count it; False where that failed, which stops nothing."""
        key = f"plans/{plan.trigger}/{outcome}"

        def change(status: dict[str, Any]) -> dict[str, Any]:
            totals = _counts(status.get("totals") or {})
            return status | {"lastPlan": last_plan(plan), "totals": totals | {key: totals.get(key, 0) + 1}}

        return self._change(change)

    def _change(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> bool:
        """Read, change and write the report; cycles and plans write it from threads of their own."""
        try:
            for _ in range(_TRIES):
                try:
                    self._try(change)
                except (errors.Conflict, errors.AlreadyExists):
                    continue
                return True
        except errors.ApiError as error:
            _LOG.warning("the report was not written: %s", error)
            return False
        _LOG.warning("the report was not written: somebody else wrote it each time")
        return False

    def _try(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        path = codec.reports_path(self._namespace, NAME)
        try:
            seen = self._api.request("GET", path, timeout=5.0).body
        except errors.NotFound:
            body = self._object(change({}))
            self._api.request("POST", codec.reports_path(self._namespace), body=body, timeout=5.0)
            return
        self._api.request("PUT", path, body=seen | {"status": change(seen.get("status") or {})}, timeout=5.0)

    def _object(self, status: dict[str, Any]) -> dict[str, Any]:
        return {
            "apiVersion": custom.API_VERSION,
            "kind": "DeschedulerReport",
            "metadata": {"name": NAME, "namespace": self._namespace},
            "spec": {},
            "status": status,
        }


def _counts(totals: Mapping[str, Any]) -> dict[str, int]:
    return {key: value for key, value in totals.items() if isinstance(value, int)}


def last_plan(plan: Plan) -> dict[str, Any]:
    """Return the part of the report about one plan."""
    status = encode_plan_status(plan)
    return {
        "name": plan.name,
        "at": rfc3339(plan.started_at),
        "trigger": plan.trigger,
        "mode": "observe" if plan.observing else "enforce",
        "phase": str(plan.phase),
        "reason": plan.reason[:_LONGEST_TEXT],
        "placed": status["placed"],
        "moved": status["moved"],
        "evicted": status["evicted"],
    }


def last_run(result: CycleResult) -> dict[str, Any]:
    """Return the part of the report about one run. Victims come first, so that cutting leaves out refusals only."""
    lines = sorted(result.decisions, key=lambda line: line.kind is Kind.REFUSED)
    return {
        "at": rfc3339(result.at),
        "duration": round(result.duration, 3),
        "mode": result.mode,
        "policyHash": result.policy_hash,
        "summary": result.summary()[:_LONGEST_TEXT],
        "decisions": [_line(line) for line in lines[:MOST_DECISIONS]],
        "omitted": max(0, len(lines) - MOST_DECISIONS),
        "refusals": dict(result.refusals()),
        "rules": dict(Counter(line.rule for line in result.decisions)),
        "troubles": {step: text[:_LONGEST_TEXT] for step, text in result.troubles.items()},
    }


def _line(line: Decision) -> dict[str, Any]:
    words = {
        "decision": line.kind.value,
        "rule": line.rule,
        "trouble": line.trouble,
        "node": line.node,
        "pod": None if line.pod is None else str(line.pod),
        "workload": None if line.workload is None else str(line.workload),
        "destination": line.destination,
        "reason": line.reason,
        "rail": line.rail,
        "message": line.message,
        "answer": line.answer,
    }
    return {key: text[:_LONGEST_TEXT] for key, text in words.items() if text}


def added(totals: Mapping[str, Any], result: CycleResult) -> dict[str, int]:
    """Return the totals after one more run, under keys such as `evictions/<rule>/<decision>` and `refusals/<rail>`."""
    new: Counter[str] = Counter(_counts(totals))
    new["cycles"] += 1
    for line in result.decisions:
        if line.kind is Kind.REFUSED:
            new[f"refusals/{line.rail}"] += 1
        else:
            new[f"evictions/{line.rule}/{line.kind}"] += 1
    for record, seen in result.landed:
        new[f"outcomes/{record.rule}/{seen.landing}"] += 1
    for step in result.troubles:
        new[f"troubles/{step}"] += 1
    return dict(new)
