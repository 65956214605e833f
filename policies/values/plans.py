"""Plans: one joint decision over many nodes, as both services see it; decides nothing.

A plan names pods where it takes them away, and numbers of pods (quotas) where it wants them: a pod that replaces an
evicted one has a name nobody knows beforehand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from policies.values.pods import HostPort
from policies.values.resources import NOTHING, Resources
from policies.values.workloads import WorkloadRef


class PlanPhase(StrEnum):
    """How far a plan got; the last three are its ends."""

    COMPUTING = "Computing"
    INSTALLING = "Installing"
    EVICTING = "Evicting"
    REALISING = "Realising"
    COMPLETED = "Completed"
    TIMED_OUT = "TimedOut"
    ABORTED = "Aborted"

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen under this plan."""
        return self in {PlanPhase.COMPLETED, PlanPhase.TIMED_OUT, PlanPhase.ABORTED}


class PlanAction(StrEnum):
    """What a plan does with one pod: a pending one gets a node, a running one another node, or none."""

    PLACE = "place"
    MOVE = "move"
    EVICT = "evict"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEntry:
    """What happens to one pod, in the order of the plan's steps.

    `source` is None for a placement, `target` None for an eviction. `controller` is the object that makes the pods
    (its `ownerReferences` entry), None for a bare pod. `reason` is one sentence for people.
    """

    action: PlanAction
    namespace: str
    pod: str
    uid: str
    source: str | None = None
    target: str | None = None
    workload: WorkloadRef | None = None
    controller: WorkloadRef | None = None
    requests: Resources = NOTHING
    host_ports: tuple[HostPort, ...] = ()
    priority: int = 0
    grace_seconds: float = 0.0
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.namespace}/{self.pod}"

    @property
    def disrupts(self) -> bool:
        """Whether the pod is evicted by it."""
        return self.action is not PlanAction.PLACE


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The absolute number of live pods of one controller and request vector that the plan wants on a node.

    What remains is `wanted` minus bound, derived from watches. `priority` is that of these pods.
    """

    controller: WorkloadRef
    node: str
    wanted: int
    requests: Resources = NOTHING
    host_ports: tuple[HostPort, ...] = ()
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Headcount:
    """How many pods of one controller and request vector there are in the plan, and how many of these get no node.

    `replicas` is what the controller wanted when the plan was made, None where its kind has no such number.
    """

    controller: WorkloadRef
    requests: Resources
    unplaced: int
    replicas: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCondition:
    """One step of a plan as Kubernetes words it: `kind` (Installed, Validated, Evicted, Realised), yes or no, and why.

    `at` is Unix seconds by the API server's clock.
    """

    kind: str
    met: bool
    reason: str = ""
    message: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanProgress:
    """How many of the planned placements, moves and evictions have happened."""

    placed: int = 0
    moved: int = 0
    evicted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A `PlacementPlan`. `revision` 0 is the empty one that a blocking run holds pods with; 1 has the entries.

    Bare pending pods are pinned by UID (their entry has no controller), all others by quota. `abort` is what a person
    wrote to stop it. `started_at` is the server's creationTimestamp. `vector` is what the solver reached, for people.
    """

    name: str
    uid: str = ""
    revision: int = 1
    phase: PlanPhase = PlanPhase.COMPUTING
    reason: str = ""
    trigger: str = ""
    hold: str = "reservations"
    blocking: bool = False
    observing: bool = False
    entries: tuple[PlanEntry, ...] = ()
    quotas: tuple[Quota, ...] = ()
    headcounts: tuple[Headcount, ...] = ()
    abort: str | None = None
    writer: str = ""
    policy_hash: str = ""
    started_at: float = 0.0
    finished_at: float | None = None
    vector: Mapping[str, int] = field(default_factory=dict)
    progress: PlanProgress = PlanProgress()
    conditions: tuple[PlanCondition, ...] = ()
    resource_version: str = ""

    @property
    def pins(self) -> Mapping[str, PlanEntry]:
        """The bare pods that the plan places, by UID."""
        return {entry.uid: entry for entry in self.entries if entry.controller is None and entry.target is not None}

    @property
    def disruptions(self) -> tuple[PlanEntry, ...]:
        """The moves and evictions, in the order in which they are carried out."""
        return tuple(entry for entry in self.entries if entry.disrupts)

    @property
    def version(self) -> str:
        """What a replica's Lease shows once it obeys this plan in this revision."""
        return f"{self.uid}/{self.revision}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSlot:
    """The singleton that names the one plan the extender obeys, None where there is none.

    `renewal` changes with every renewal: whoever sees it change knows that the holder lives, whatever clocks say.
    """

    plan: str | None = None
    plan_uid: str = ""
    revision: int = 0
    holder: str = ""
    renewal: int = 0
    resource_version: str = ""

    @property
    def version(self) -> str | None:
        """The version of the plan that is in force, None where there is none."""
        return None if self.plan is None else f"{self.plan_uid}/{self.revision}"
