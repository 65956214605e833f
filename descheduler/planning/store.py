"""Plans in the cluster: creates, reads, updates and deletes them; decides nothing about them.

`spec.abort` is a person's: the descheduler never writes it, and every update is a merge patch of other fields. Each
names the version it rests on: a write whose answer was lost must not arrive late and open a plan that was closed.
"""

import logging
from dataclasses import replace
from typing import Final

from policies.values.plans import Plan, PlanPhase
from sources.clocks import Clock
from sources.kube import errors, listing
from sources.kube import plans as codec
from sources.kube.api import KubeApi
from sources.kube.decoding.tolerant import MalformedObject, tolerant

_LOG: Final = logging.getLogger(__name__)
_MERGE: Final = "application/merge-patch+json"
_CALL_SECONDS: Final = 2.0
_WRITE_EVERY: Final = 1.0
_TRIES: Final = 3


class PlanStore:
    """The plans of one namespace. `progress` writes at most once a second while the phase stays the same."""

    def __init__(self, api: KubeApi, *, namespace: str, clock: Clock) -> None:
        self._api = api
        self._namespace = namespace
        self._clock = clock
        self._written: Plan | None = None
        self._tried: tuple[float, PlanPhase] | None = None
        self._versions: dict[str, str] = {}
        self._read: Plan | None = None  # a large plan takes 10 ms to decode, and is read twice a second

    def create(self, plan: Plan) -> Plan:
        """Create a plan and return it as the cluster has it: with its UID, the server's time and its version.

        Raises:
            ApiError: it may exist or not; without the slot nobody obeys it.
        """
        body = codec.encode_plan(plan, self._namespace)
        path = codec.plans_path(self._namespace)
        return self._noted(codec.decode_plan(self._api.request("POST", path, body=body, timeout=_CALL_SECONDS).body))

    def fill(self, plan: Plan) -> Plan:
        """Write what was decided into a plan that was created empty; its revision is the new one already.

        Raises:
            ApiError: it may be written or not; the slot still names the old revision.
        """
        raw = codec.encode_plan(plan, self._namespace)
        return self._noted(self._update(plan, {"spec": raw["spec"], "status": raw["status"]}))

    def progress(self, plan: Plan) -> bool:
        """Write the status if the phase changed, or if anything did and the last try was a second ago.

        Return whether the phase is known to be written.
        """
        last = self._written if self._written is not None and self._written.uid == plan.uid else None
        known = last is not None and last.phase is plan.phase
        if last is not None and codec.encode_plan_status(last) == codec.encode_plan_status(plan):
            return known
        if self._tried is not None:
            at, phase = self._tried
            if phase is plan.phase and self._clock.monotonic() - at < _WRITE_EVERY:
                return known
        return self.write(plan)

    def write(self, plan: Plan) -> bool:
        """Write the status; False where that failed."""
        self._tried = self._clock.monotonic(), plan.phase
        try:
            self._noted(self._update(plan, {"status": codec.encode_plan_status(plan)}), as_=plan)
        except (errors.ApiError, MalformedObject) as error:
            _LOG.warning("the status %s of plan %s was not written: %s", plan.phase, plan.name, error)
            return False
        return True

    def close(self, plan: Plan) -> Plan | None:
        """Write a plan's end and return the plan as it has ended; None where nobody can tell.

        An end that somebody else has written stands. A plan that is gone has ended as it was to.
        """
        try:
            self._noted(self._update(plan, {"status": codec.encode_plan_status(plan)}), as_=plan)
        except (errors.NotFound, errors.Conflict):
            return self._ended(plan)
        except (errors.ApiError, MalformedObject) as error:
            _LOG.warning("the end %s of plan %s was not written: %s", plan.phase, plan.name, error)
            return None
        return plan

    def _ended(self, plan: Plan) -> Plan | None:
        try:
            seen = self.read(plan.name)
        except (errors.ApiError, MalformedObject) as error:
            _LOG.warning("whether the plan %s has ended is not known: %s", plan.name, error)
            return None
        if seen is None or seen.uid != plan.uid:
            return plan
        ours = (seen.phase, seen.reason) == (plan.phase, plan.reason)  # the answer to an earlier try was lost
        return plan if ours else seen if seen.phase.ended else None

    def ask_to_abort(self, plan: Plan, reason: str) -> Plan:
        """Write what a person wants; the descheduler itself never calls this.

        Raises:
            ApiError: it may be written or not.
        """
        return self._patch(plan.name, {"spec": {"abort": reason}})

    def read(self, name: str) -> Plan | None:
        """Return a plan as it stands, None where it is gone.

        Raises:
            ApiError, MalformedObject: it cannot be read, or the server does not know of plans (yet).
        """
        try:
            raw = self._api.request("GET", codec.plans_path(self._namespace, name), timeout=_CALL_SECONDS).body
        except errors.NotFound as error:
            if not error.names(name):
                raise
            return None
        known, meta = self._read, raw.get("metadata") or {}
        if known is None or (meta.get("uid"), meta.get("resourceVersion")) != (known.uid, known.resource_version):
            known = self._read = tolerant(codec.decode_plan, raw)
        return known

    def all(self) -> tuple[Plan, ...]:
        """Return every plan that can be read, oldest first.

        Raises:
            ApiError: they cannot be listed.
        """
        plans = []
        for raw in listing.list_raw(self._api, codec.plans_path(self._namespace)).items:
            try:
                plans.append(tolerant(codec.decode_plan, raw))
            except MalformedObject as problem:
                _LOG.warning("a plan cannot be read and is left alone: %s", problem)
        return tuple(sorted(plans, key=lambda plan: (plan.started_at, plan.name)))

    def delete(self, plan: Plan) -> bool:
        """Delete a plan, and no other of its name; False where it may still be there."""
        path, body = codec.plans_path(self._namespace, plan.name), {"preconditions": {"uid": plan.uid}}
        try:
            self._api.request("DELETE", path, body=body, timeout=_CALL_SECONDS)
        except (errors.NotFound, errors.Conflict):
            return True
        except errors.ApiError as error:
            _LOG.warning("the plan %s was not deleted: %s", plan.name, error)
            return False
        return True

    def _update(self, plan: Plan, body: dict[str, object]) -> Plan:
        """Write over the newest version, unless that one is closed: an end is never taken back nor written over."""
        version = self._versions.get(plan.uid, plan.resource_version)
        for _ in range(_TRIES):
            try:
                return self._patch(plan.name, body | {"metadata": {"resourceVersion": version}})
            except errors.Conflict:
                seen = self.read(plan.name)
                if seen is None or seen.uid != plan.uid or seen.phase.ended:
                    raise
                version = seen.resource_version
        return self._patch(plan.name, body | {"metadata": {"resourceVersion": version}})

    def _patch(self, name: str, body: dict[str, object]) -> Plan:
        path = codec.plans_path(self._namespace, name)
        answer = self._api.request("PATCH", path, body=body, content_type=_MERGE, timeout=_CALL_SECONDS)
        return codec.decode_plan(answer.body)

    def _noted(self, written: Plan, *, as_: Plan | None = None) -> Plan:
        self._written = as_ or written
        self._tried = self._clock.monotonic(), self._written.phase
        self._versions = {written.uid: written.resource_version}
        return written


def closed(plan: Plan, phase: PlanPhase, reason: str, *, at: float) -> Plan:
    """Return a plan at its end."""
    return replace(plan, phase=phase, reason=reason, finished_at=at)
