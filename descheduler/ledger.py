"""The ledger in the cluster: reads all records consistently, writes one at a time, settles what this process left open.

Decides nothing about evictions. Only the process that wrote an Intent changes its state; what another process left
open stays as it is and counts.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from descheduler import recording
from descheduler.answers import AnswerKind, EvictionAnswer
from policies.values.records import EvictionRecord, RecordState, Verification
from sources.clocks import Clock
from sources.kube import errors, listing
from sources.kube import records as codec
from sources.kube.api import KubeApi
from sources.kube.decoding.tolerant import MalformedObject, tolerant

Runs: TypeAlias = Callable[[EvictionRecord], bool | None]
_LOG: Final = logging.getLogger(__name__)
_MERGE: Final = "application/merge-patch+json"
_WRITE_SECONDS: Final = 5.0
# Two hands write a record: its process what came of the call, the leader where the pod landed. Each patches its own
# fields only, so that neither can undo the other.
_ATTEMPT: Final = frozenset({"state", "answer"})
_LANDING: Final = frozenset({"landing", "replacement", "node", "readyAt", "after"})
# A backlog is forgotten over several cycles, so that none of them becomes long (the number is arbitrary).
_FORGET_AT_ONCE: Final = 100


class LedgerUnreadable(Exception):  # noqa: N818  # it says what is so
    """The records could not all be read; nothing may be evicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All records at one moment; `now` is the server's time of that answer."""

    records: tuple[EvictionRecord, ...]
    now: float

    def without(self, name: str) -> "Ledger":
        """Return the ledger without one record: what an attempt that has its own record already must look at."""
        return replace(self, records=tuple(record for record in self.records if record.name != name))


class LedgerKeeper:
    """Reads and writes the records of one namespace on behalf of one process (`writer`)."""

    def __init__(self, api: KubeApi, *, namespace: str, writer: str, clock: Clock) -> None:
        self.writer = writer
        self._api = api
        self._namespace = namespace
        self._clock = clock
        self._called: dict[str, float] = {}
        self._unwritten: dict[str, EvictionAnswer] = {}

    def read(self) -> Ledger:
        """List every record, at one version that holds all earlier writes.

        Raises:
            LedgerUnreadable: not every record could be read, so nobody knows what the limits still allow.
        """
        try:
            page = listing.list_raw(self._api, codec.records_path(self._namespace))
            records = tuple(tolerant(codec.decode_record, item) for item in page.items)
        except (errors.ApiError, MalformedObject) as error:
            raise LedgerUnreadable(f"the eviction records of {self._namespace} cannot be read: {error}") from error
        return Ledger(records=records, now=self._clock.now() if page.date is None else page.date)

    def write(self, draft: EvictionRecord, *, name: str, state: RecordState) -> EvictionRecord:
        """Create a record and return it with the server's time; it counts from here.

        Raises:
            AlreadyExists: somebody attempted this pod; it is not attempted twice.
            ApiError: it may exist or not; without the record there is no eviction.
        """
        record = replace(draft, name=name, state=state, writer=self.writer)
        body = codec.encode_record(record, self._namespace)
        body["status"] = {key: value for key, value in body["status"].items() if value is not None}
        path = codec.records_path(self._namespace)
        return codec.decode_record(self._api.request("POST", path, body=body, timeout=_WRITE_SECONDS).body)

    def calling(self, record: EvictionRecord) -> None:
        """Note that the eviction call of a record begins now: from here on it may happen."""
        self._called[record.name] = self._clock.monotonic()

    def conclude(self, record: EvictionRecord, answer: EvictionAnswer) -> EvictionRecord:
        """Write what came of our own record; where that fails it is kept and written in the next cycle."""
        done = replace(record, state=answer.state, answer=str(answer))
        if done.state is not RecordState.UNKNOWN:
            self._called.pop(record.name, None)
        try:
            self._patch(done, _ATTEMPT)
        except errors.NotFound:
            _LOG.warning("the record %s is gone, its outcome %s is not kept", record.name, answer)
        except errors.ApiError as error:
            _LOG.warning("the outcome of record %s was not written and will be: %s", record.name, error)
            self._unwritten[record.name] = answer
        return done

    def settle(self, ledger: Ledger, *, runs: Runs) -> Ledger:
        """Close what this very process left open, and return the ledger with it.

        `runs` tells whether the pod of a record still runs (None: it could not be read).
        """
        return replace(ledger, records=tuple(self._settle(record, runs) for record in ledger.records))

    def _settle(self, record: EvictionRecord, runs: Runs) -> EvictionRecord:
        if record.writer != self.writer:
            return record
        if record.name in self._unwritten:
            return self.conclude(record, self._unwritten.pop(record.name))
        if record.state is RecordState.INTENT and record.name not in self._called:
            # The create call gave no answer, so the attempt ended there; nothing was evicted.
            return self.conclude(record, EvictionAnswer(AnswerKind.NOT_CALLED, "the record's creation gave no answer"))
        if record.state in {RecordState.INTENT, RecordState.UNKNOWN} and record.name in self._called:
            return self._settle_call(record, runs)
        return record

    def _settle_call(self, record: EvictionRecord, runs: Runs) -> EvictionRecord:
        still = runs(record)
        if still is None:
            return record
        since = self._clock.monotonic() - self._called[record.name]
        match recording.settled(runs=still, since_call=since):
            case RecordState.ACCEPTED:
                return self.conclude(record, EvictionAnswer(AnswerKind.ACCEPTED, "no answer, but the pod is gone"))
            case RecordState.REFUSED:
                text = f"no answer, and the pod still runs {since:.0f} s later"
                return self.conclude(record, EvictionAnswer(AnswerKind.OTHER, text))
            case _:
                return record

    @property
    def open_calls(self) -> bool:
        """Whether some call of this process has no answer yet."""
        return bool(self._called) or bool(self._unwritten)

    def land(self, record: EvictionRecord, verification: Verification) -> bool:
        """Write where the replacement landed; False when that failed (the next run finds it again)."""
        try:
            self._patch(replace(record, verification=verification), _LANDING)
        except errors.ApiError as error:
            _LOG.warning("the landing of record %s was not written: %s", record.name, error)
            return False
        return True

    def forget(self, records: tuple[EvictionRecord, ...]) -> int:
        """Delete records that nothing reads any more; the oldest first, not too many at once."""
        gone = 0
        for record in records[:_FORGET_AT_ONCE]:
            body = {"preconditions": {"resourceVersion": record.resource_version}}
            path = codec.records_path(self._namespace, record.name)
            try:
                self._api.request("DELETE", path, body=body, timeout=_WRITE_SECONDS)
                gone += 1
            except errors.ApiError as error:
                _LOG.warning("the record %s was not deleted: %s", record.name, error)
        return gone

    def _patch(self, record: EvictionRecord, fields: frozenset[str]) -> None:
        status = {key: value for key, value in codec.encode_status(record).items() if key in fields}
        path = codec.records_path(self._namespace, record.name)
        self._api.request("PATCH", path, body={"status": status}, content_type=_MERGE, timeout=_WRITE_SECONDS)
