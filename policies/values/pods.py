"""Pods as decisions see them, trimmed to the fields that some rule reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from policies.values.resources import NOTHING, Resources
from policies.values.selectors import LabelSelector, NodeSelectorTerm
from policies.values.volumes import Attachment


class Phase(StrEnum):
    """`status.phase`."""

    PENDING = "Pending"
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True)
class Owner:
    """The controller reference of a pod (`ownerReferences` with `controller: true`)."""

    kind: str
    name: str
    uid: str = ""


@dataclass(frozen=True, slots=True)
class Toleration:
    """A toleration; an empty key with `Exists` tolerates everything, an empty effect every effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class PodTerm:
    """A required pod affinity or anti-affinity term.

    `selector` None matches no pod. `namespaces` is the list the term names; with `namespace_selector` None and an
    empty list it is the pod's own namespace, which the decoder fills in. `namespace_selector` of `{}` means all.
    """

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str] = frozenset()
    namespace_selector: LabelSelector | None = None


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """A `topologySpreadConstraints` entry with `whenUnsatisfiable: DoNotSchedule`; soft ones are not kept."""

    topology_key: str
    max_skew: int
    selector: LabelSelector | None
    min_domains: int = 1
    honour_affinity: bool = True
    honour_taints: bool = False


@dataclass(frozen=True, slots=True)
class HostPort:
    """A port a pod takes on its node; an empty address means all of them."""

    port: int
    protocol: str = "TCP"
    address: str = "0.0.0.0"  # noqa: S104  # the API's own word for "all addresses", nothing is bound here


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """Where a pod may stand. Shared between pods of one template, so equal ones are one object in memory.

    `node_terms` None means no required node affinity; an empty tuple matches no node.
    """

    node_selector: tuple[tuple[str, str], ...] = ()
    node_terms: tuple[NodeSelectorTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    affinity: tuple[PodTerm, ...] = ()
    anti_affinity: tuple[PodTerm, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
    host_ports: tuple[HostPort, ...] = ()


UNCONSTRAINED = Constraints()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod. Times are Unix seconds by the API server's clock, None where the event has not happened.

    `requests` is what the scheduler counts: the sidecar formula over containers and init containers, plus
    overhead, plus one `pods` slot; while an in-place resize is unfinished, the larger of wanted and allocated.
    `local_storage` names volumes that live on the node (emptyDir, hostPath); `claims` names PersistentVolumeClaims,
    those of ephemeral volumes included; `disks` are in-tree volumes without a claim that a CSI driver attaches.
    `static` covers mirror pods and pods from a file. `revision` is the label `controller-revision-hash`.
    `unschedulable_since` is the last transition of PodScheduled to False; `unscheduled` is what the condition says then
    (reason and message): another text tells of another attempt.
    """

    namespace: str
    name: str
    uid: str
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    owner: Owner | None = None
    node: str | None = None
    nominated_node: str | None = None
    scheduler_name: str = "default-scheduler"
    phase: Phase = Phase.PENDING
    ready: bool = False
    created_at: float = 0.0
    bound_at: float | None = None
    started_at: float | None = None
    ready_since: float | None = None
    unschedulable_since: float | None = None
    unscheduled: str = ""
    terminating: bool = False
    gated: bool = False
    static: bool = False
    grace_seconds: float = 30.0
    priority: int = 0
    priority_class: str = ""
    requests: Resources = NOTHING
    constraints: Constraints = UNCONSTRAINED
    local_storage: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    disks: tuple[Attachment, ...] = ()

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def ended(self) -> bool:
        """Whether it has run to its end; it then takes no resources any more."""
        return self.phase in {Phase.SUCCEEDED, Phase.FAILED}
