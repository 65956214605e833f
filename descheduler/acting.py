"""Carries out what was decided, one victim at a time: check again, write the record, hold the lease, evict, conclude.

The order is what makes the ledger safe: the record counts before the call, and nothing is called without it. It
decides nothing by itself; whether a victim still may go is asked of `revalidate`.
"""

import logging
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from descheduler import recording
from descheduler.answers import AnswerKind, EvictionAnswer
from descheduler.evictor import Evictor
from descheduler.ledger import Ledger, LedgerKeeper, LedgerUnreadable
from descheduler.pausing import Pauses
from policies.rails import pdb
from policies.rules.evidence import GRACE
from policies.values.candidates import Victim
from policies.values.records import EvictionRecord, RecordState, Verification
from policies.values.refusals import Refusal, Scope
from policies.values.workloads import WorkloadRef
from sources.clocks import Clock
from sources.kube import errors

_LOG: Final = logging.getLogger(__name__)
LEASE: Final = "lease"
LEDGER: Final = "ledger"
STOPPING: Final = "stopping"
STALE: Final = "stale-decision"
POLICY: Final = "policy-changed"
# The figures that a move is to improve; verifying measures the same ones afterwards.
_BEFORE: Final = ("headroom", "slack")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What became of one victim: its record and the API's answer, or the refusal that came before."""

    victim: Victim
    record: EvictionRecord | None = None
    answer: EvictionAnswer | None = None
    refusal: Refusal | None = None

    @property
    def happened(self) -> bool:
        """Whether the pod goes, or may go, or (observing) would have gone: what later victims must count."""
        states = {RecordState.ACCEPTED, RecordState.UNKNOWN, RecordState.OBSERVED}
        return self.answer is not None and self.answer.state in states


class Revalidate(Protocol):
    """Checks a victim again on fresh state."""

    def __call__(self, victim: Victim, *, ledger: Ledger, done: tuple[Victim, ...]) -> Victim | Refusal:
        """Return the victim, perhaps with another destination, or why it must stay."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What the policy says of acting: `evictor` is the recording one while observing.

    `draft` makes the record of a victim, all but its name and state. `good_for` is how long (s) the signals behind
    the decision may be acted upon: waiting for one victim's budget must not make the next one's reasons old. A server
    that is busy or not there is asked again for `passing_for` at least.
    """

    observing: bool
    evictor: Evictor
    retry_for: float
    good_for: float
    draft: Callable[[Victim], EvictionRecord]
    passing_for: float = 0.0

    def patience(self, answer: EvictionAnswer) -> float:
        """Return for how long (s) a victim is tried again after an answer."""
        return max(self.retry_for, self.passing_for if answer.is_passing else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """Everything an attempt works with. `pause` waits and returns True when the process is to stop.

    `outdated` tells whether another policy has come into force since the decision: it may be the one that says stop.
    """

    keeper: LedgerKeeper
    leads: Callable[[], bool]
    stopping: Callable[[], bool]
    outdated: Callable[[], bool]
    pause: Callable[[float], bool]
    clock: Clock
    rng: random.Random
    pauses: Pauses = field(default_factory=Pauses)


def act(victims: Iterable[Victim], *, orders: Orders, hands: Hands, revalidate: Revalidate) -> tuple[Attempt, ...]:
    """Attempt every victim in order; what is done counts for the next one."""
    attempts: list[Attempt] = []
    ends = hands.clock.monotonic() + orders.good_for
    for victim in victims:
        if hands.clock.monotonic() > ends:
            text = f"decided more than {orders.good_for:.0f} s ago; the next cycle decides anew"
            attempts.append(Attempt(victim=victim, refusal=Refusal(STALE, text, Scope.CLUSTER)))
            continue
        done = tuple(attempt.victim for attempt in attempts if attempt.happened)
        attempts.append(_Trial(victim, orders=orders, hands=hands, revalidate=revalidate).run(done))
    return tuple(attempts)


class _Trial:
    """The attempt at one victim, over as many tries as the policy's patience allows."""

    def __init__(self, victim: Victim, *, orders: Orders, hands: Hands, revalidate: Revalidate) -> None:
        self._victim = victim
        self._orders = orders
        self._hands = hands
        self._revalidate = revalidate
        self._record: EvictionRecord | None = None
        self._failures = 0

    def run(self, done: tuple[Victim, ...]) -> Attempt:
        began = self._hands.clock.monotonic()
        while True:
            found = self._try(done)
            if isinstance(found, Refusal):
                return self._refused(found)
            if not found.may_try_again:
                return self._concluded(found)
            self._failures += 1
            asked = found.retry_after
            pause = self._hands.pauses.after(self._failures, asked=asked, rng=self._hands.rng)
            waited = self._hands.clock.monotonic() - began
            if waited + pause > self._orders.patience(found):
                text = f"{self._failures} tries in {waited:.0f} s, the last answer was {found}"
                return self._concluded(EvictionAnswer(AnswerKind.GIVEN_UP, text))
            _LOG.info("%s is tried again in %.1f s: %s", self._victim.candidate.pod, pause, found)
            self._hands.pause(pause)

    def _try(self, done: tuple[Victim, ...]) -> EvictionAnswer | Refusal:
        checked = self._barred() or self._check(done)
        if isinstance(checked, Refusal):
            # A budget that fell to 0 since the last try comes back as it did after a 429: wait for it.
            waits = self._record is not None and checked.rail == pdb.RAIL
            return EvictionAnswer(AnswerKind.BUDGET, checked.message) if waits else checked
        self._victim = checked
        return self._call()

    def _barred(self) -> Refusal | None:
        if self._hands.stopping():
            return Refusal(STOPPING, "the process is ending", Scope.CLUSTER)
        if not self._orders.observing and not self._hands.leads():
            return Refusal(LEASE, "this process does not hold the lease", Scope.CLUSTER)
        if self._hands.outdated():
            return Refusal(POLICY, "another policy has come into force since the decision", Scope.CLUSTER)
        return None

    def _check(self, done: tuple[Victim, ...]) -> Victim | Refusal:
        """Check on the newest ledger and cluster, then write the record if there is none yet."""
        try:
            ledger = self._hands.keeper.read()
        except LedgerUnreadable as error:
            return Refusal(LEDGER, str(error), Scope.CLUSTER)
        others = ledger if self._record is None else ledger.without(self._record.name)
        checked = self._revalidate(self._victim, ledger=others, done=done)
        if isinstance(checked, Refusal) or self._record is not None or not self._writes():
            return checked
        written = self._write(checked, ledger)
        if isinstance(written, Refusal):
            return written
        self._record = written
        return checked

    def _writes(self) -> bool:
        """Whether this run writes records: only an observing one without the lease does not."""
        return not self._orders.observing or self._hands.leads()

    def _write(self, victim: Victim, ledger: Ledger) -> EvictionRecord | Refusal:
        observing = self._orders.observing
        name = recording.name_for(victim.candidate.pod.uid, ledger.records, observing=observing)
        if isinstance(name, Refusal):
            return name
        state = RecordState.OBSERVED if observing else RecordState.INTENT
        try:
            return self._hands.keeper.write(self._orders.draft(victim), name=name, state=state)
        except errors.AlreadyExists:
            return Refusal(LEDGER, f"the record {name} was written by another process: not evicted twice")
        except errors.ApiError as error:
            return Refusal(LEDGER, f"the record {name} could not be written, so nothing is called: {error}")

    def _call(self) -> EvictionAnswer | Refusal:
        barred = self._barred()
        if barred is not None:
            return replace(barred, message=f"{barred.message}; seen after the record was written")
        if self._record is not None:
            self._hands.keeper.calling(self._record)
        return self._orders.evictor.evict(self._victim.candidate.pod)

    def _refused(self, refusal: Refusal) -> Attempt:
        if self._record is None:
            return Attempt(victim=self._victim, refusal=refusal)
        answer = EvictionAnswer(AnswerKind.NOT_CALLED, str(refusal))
        record = self._hands.keeper.conclude(self._record, answer)
        return Attempt(victim=self._victim, record=record, answer=answer, refusal=refusal)

    def _concluded(self, answer: EvictionAnswer) -> Attempt:
        record = None if self._record is None else self._hands.keeper.conclude(self._record, answer)
        return Attempt(victim=self._victim, record=record, answer=answer)


def draft_of(victim: Victim, *, policy_hash: str) -> EvictionRecord:
    """Return a victim's record as far as it follows from the victim alone."""
    candidate = victim.candidate
    pod, owner = candidate.pod, candidate.pod.owner
    return EvictionRecord(
        name=pod.uid,
        pod_uid=pod.uid,
        pod=pod.name,
        namespace=pod.namespace,
        node=candidate.node,
        rule=candidate.rule,
        reason=candidate.reason,
        at=0.0,
        workload=candidate.workload,
        controller=None if owner is None else WorkloadRef(owner.kind, pod.namespace, owner.name),
        destination=victim.destination,
        policy_hash=policy_hash,
        evidence={**candidate.evidence, GRACE: pod.grace_seconds},
        verification=Verification(
            before={name: candidate.evidence[name] for name in _BEFORE if name in candidate.evidence}
        ),
    )
