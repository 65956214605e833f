"""The ledger's records: one per attempted eviction, with reason and outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from policies.values.workloads import WorkloadRef


class RecordState(StrEnum):
    """How far the attempt got. `Intent` and `Unknown` count as if the eviction had happened."""

    INTENT = "Intent"
    ACCEPTED = "Accepted"
    REFUSED = "Refused"
    UNKNOWN = "Unknown"
    OBSERVED = "Observed"


class Landing(StrEnum):
    """What became of an accepted eviction, found by whichever run comes next."""

    PENDING = "Pending"
    MOVED = "Moved"
    RETURNED = "Returned"
    SCALED_DOWN = "ScaledDown"
    TIMED_OUT = "TimedOut"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What the next runs saw of the replacement.

    `ready_at` is Unix seconds. `before` and `after` hold the figures that were to improve (headroom of the source
    node, slack of the pod) by name, as measured at the eviction and once the replacement was ready.
    """

    landing: Landing = Landing.PENDING
    replacement: str | None = None
    replacement_uid: str | None = None
    node: str | None = None
    ready_at: float | None = None
    before: Mapping[str, float] = field(default_factory=dict)
    after: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvictionRecord:
    """One attempted eviction.

    `name` is the pod's UID (with `-2` … after a refusal; `observed-` before it for an observing run). `at` is the
    server's creationTimestamp. `writer` identifies the process that wrote the Intent: only it may refund it.
    `answer` tells what the Eviction API said. `resource_version` serves the next write.
    """

    name: str
    pod_uid: str
    pod: str
    namespace: str
    node: str
    rule: str
    reason: str
    at: float
    state: RecordState = RecordState.INTENT
    workload: WorkloadRef | None = None
    controller: WorkloadRef | None = None
    destination: str | None = None
    writer: str = ""
    policy_hash: str = ""
    answer: str = ""
    evidence: Mapping[str, float] = field(default_factory=dict)
    verification: Verification = field(default_factory=Verification)
    resource_version: str = ""

    @property
    def counts(self) -> bool:
        """Whether it uses up budgets when enforcing: everything but a definite refusal and an observation."""
        return self.state not in {RecordState.REFUSED, RecordState.OBSERVED}
