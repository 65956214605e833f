"""What plans are carried out with, as one value: ports and collaborators; does nothing by itself."""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from descheduler.eventing import EventWriter
from descheduler.ledger import LedgerKeeper
from descheduler.planning.figures import PlanMetrics
from descheduler.planning.gate import Gate
from descheduler.planning.replicas import Replicas
from descheduler.planning.slot import SlotKeeper
from descheduler.planning.store import PlanStore
from descheduler.reporting import Reporter
from policies.model.loading import Loaded
from policies.values.candidates import Victim
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from sources.clocks import Clock
from sources.kube.api import KubeApi
from sources.kube.cluster_watch import Change

Look: TypeAlias = Callable[[], Cluster]


class Sight(Protocol):
    """Where plans see the cluster: as last heard of, or as it is now."""

    def snapshot(self) -> Cluster:
        """Return the cluster as last seen: good to decide on and to wait with, not to act on."""
        ...

    def following(self, plan: Plan) -> AbstractContextManager[Look]:
        """Follow what surrounds a plan: each look gives it as last seen, the same object while nothing has changed."""
        ...

    def heard(self, change: Change) -> None:
        """Be told of a change by the watch."""
        ...

    def fresh(self, victim: Victim) -> Cluster:
        """Return the cluster with all that this eviction rests on as it is now."""
        ...

    def consistent(self) -> Cluster:
        """Return the whole cluster as it is now, at versions that hold every earlier write."""
        ...

    def now(self) -> float:
        """Return Unix seconds by the API server's clock."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """Everything that a plan's way needs.

    `keeper` is the ledger of plans alone: that of the cycles must not settle what a plan is about to call. `policy` is
    the one in force now, which may be another than that of the plan. `pause` waits and returns True when the process
    is to stop.
    """

    api: KubeApi
    namespace: str
    sight: Sight
    store: PlanStore
    slot: SlotKeeper
    replicas: Replicas
    keeper: LedgerKeeper
    events: EventWriter
    reporter: Reporter
    metrics: PlanMetrics
    gate: Gate
    clock: Clock
    leads: Callable[[], bool]
    stopping: Callable[[], bool]
    policy: Callable[[], Loaded]
    pause: Callable[[float], bool]
    rng: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311  # jitter, not a secret
