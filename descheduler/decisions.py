"""What one cycle decided, as flat values for people and machines: one line a candidate, and the sum of it all.

Made from the check's outcomes and the attempts; decides nothing itself.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from descheduler.acting import Attempt
from policies.values.candidates import Candidate, Outcome, Proposal
from policies.values.pods import Pod
from policies.values.records import EvictionRecord, RecordState, Verification
from policies.values.refusals import Refusal
from policies.values.workloads import WorkloadRef

API: Final = "eviction-api"


class Kind(StrEnum):
    """What became of one candidate or proposal."""

    EVICTED = "evicted"
    OBSERVED = "observed"
    UNKNOWN = "unknown"
    REFUSED = "refused"


_KINDS: Final = {
    RecordState.ACCEPTED: Kind.EVICTED,
    RecordState.OBSERVED: Kind.OBSERVED,
    RecordState.UNKNOWN: Kind.UNKNOWN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One candidate (or, with `pod` None, a proposal without any) and what became of it.

    `workload` and `node` are the pod's, or whom the proposal is about.

    `rail` and `message` say why it was refused, `reason` why it was proposed, `answer` what the Eviction API said.
    """

    kind: Kind
    rule: str
    trouble: str
    node: str | None
    pod: Pod | None = None
    workload: WorkloadRef | None = None
    destination: str | None = None
    reason: str = ""
    rail: str = ""
    message: str = ""
    answer: str = ""
    evidence: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleResult:
    """Everything that one cycle did. `troubles` are what kept it from evicting at all, in words, by step."""

    at: float
    mode: str
    policy_hash: str
    leading: bool
    duration: float = 0.0
    decisions: tuple[Decision, ...] = ()
    landed: tuple[tuple[EvictionRecord, Verification], ...] = ()
    troubles: Mapping[str, str] = field(default_factory=dict)

    def refusals(self) -> Counter[str]:
        """Count the refusals by rail."""
        return Counter(decision.rail for decision in self.decisions if decision.kind is Kind.REFUSED)

    def counted(self, *kinds: Kind) -> int:
        """Count the decisions of some kinds."""
        return sum(decision.kind in kinds for decision in self.decisions)

    @property
    def candidates(self) -> int:
        """Return how many candidates were looked at."""
        return sum(decision.pod is not None for decision in self.decisions)

    @property
    def evictable(self) -> int:
        """Return how many candidates no rail stood in the way of."""
        return self.counted(Kind.EVICTED, Kind.OBSERVED, Kind.UNKNOWN)

    def summary(self) -> str:
        """Say in one sentence how many of how many could be evicted, and what mainly stood in the way."""
        words = f"{self.evictable} of {self.candidates} evictable"
        main = self.refusals().most_common(1)
        if main and self.evictable < len(self.decisions):
            rail, times = main[0]
            example = next(line for line in self.decisions if line.kind is Kind.REFUSED and line.rail == rail)
            words += f"; mainly {rail} ({times}): {example.message}"
        return words


def decisions_of(outcomes: Iterable[Outcome], attempts: Iterable[Attempt]) -> tuple[Decision, ...]:
    """Return what became of every candidate, in the order of the proposals, refusals before the victim they led to."""
    by_pod = {attempt.victim.candidate.pod.uid: attempt for attempt in attempts}
    found: list[Decision] = []
    for outcome in outcomes:
        proposal = outcome.proposal
        if proposal.refusal is not None:
            found.append(_refused(proposal, proposal.refusal))
        found += [_refused(proposal, refusal, candidate) for candidate, refusal in outcome.refused]
        if outcome.victim is not None:
            uid = outcome.victim.candidate.pod.uid
            found += [_attempted(proposal, by_pod[uid])] if uid in by_pod else []
    return tuple(found)


def _refused(proposal: Proposal, refusal: Refusal, candidate: Candidate | None = None) -> Decision:
    return Decision(
        kind=Kind.REFUSED,
        rule=proposal.rule,
        trouble=proposal.trouble,
        node=proposal.node if candidate is None else candidate.node,
        pod=None if candidate is None else candidate.pod,
        workload=proposal.workload if candidate is None else candidate.workload,
        reason="" if candidate is None else candidate.reason,
        rail=refusal.rail,
        message=refusal.message,
        evidence={} if candidate is None else candidate.evidence,
    )


def _attempted(proposal: Proposal, attempt: Attempt) -> Decision:
    victim, answer, refusal = attempt.victim, attempt.answer, attempt.refusal
    candidate = victim.candidate
    if refusal is None and answer is not None and answer.state is RecordState.REFUSED:
        refusal = Refusal(API, str(answer))
    kind = Kind.REFUSED if answer is None else _KINDS.get(answer.state, Kind.REFUSED)
    return Decision(
        kind=kind,
        rule=candidate.rule,
        trouble=proposal.trouble,
        node=candidate.node,
        pod=candidate.pod,
        workload=candidate.workload,
        destination=victim.destination,
        reason=candidate.reason,
        rail="" if refusal is None else refusal.rail,
        message="" if refusal is None else refusal.message,
        answer="" if answer is None else str(answer),
        evidence=candidate.evidence,
    )
