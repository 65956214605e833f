"""Candidates that rules propose, and what became of them in a cycle."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from policies.values.pods import Pod
from policies.values.refusals import Refusal
from policies.values.workloads import WorkloadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A running pod that a rule wants moved.

    `rule` is the rule's name (`soft-slo`, `buoyancy`), `reason` one sentence with the numbers that decided,
    `evidence` those numbers by name. `scores` are the pod's own `R_i` by additive resource against its node's
    capacity, for the arithmetic about moves; a resource that was not measured is left out.
    """

    pod: Pod
    node: str
    rule: str
    reason: str
    workload: WorkloadRef | None = None
    evidence: Mapping[str, float] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One trouble and the pods whose leaving would help, best first: the first that passes every rail is the victim.

    `trouble` names what is wrong (a node and its contested resource, or an SLO of a workload). `refusal` is set
    where the rule itself found trouble that no eviction would mend ("not a placement problem"). `node` or `workload`
    is whom it is about, so that a refusal without candidates can be told to somebody; a bare pod's has neither.
    """

    rule: str
    trouble: str
    node: str | None = None
    workload: WorkloadRef | None = None
    candidates: tuple[Candidate, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """A candidate that passed every check, and the node that is expected to take its replacement.

    `destination` is None only where the policy asks for none (`eviction.destination: off`) and no node is feasible.
    """

    candidate: Candidate
    destination: str | None
    destination_headroom: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one proposal in the check: a victim, or none, and each candidate's refusal in order."""

    proposal: Proposal
    victim: Victim | None = None
    refused: tuple[tuple[Candidate, Refusal], ...] = ()
