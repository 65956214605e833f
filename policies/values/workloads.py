"""Workloads and the controllers below them: whom a pod belongs to and how that owner is doing."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class WorkloadRef:
    """Names an object that owns pods, controller or workload: `Deployment shop/web`."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The owner people think in (Deployment, StatefulSet, Job …), or a controller that nobody owns.

    `wanted` is `spec.replicas` (None where the kind has none). `rollout` says in words why the workload counts as
    being rolled out, None where it is at rest. `update_revision` is a StatefulSet's target revision, against which
    a pod's `controller-revision-hash` label is compared.
    """

    ref: WorkloadRef
    uid: str = ""
    wanted: int | None = None
    rollout: str | None = None
    update_revision: str | None = None
    annotations: Mapping[str, str] = field(default_factory=dict)
