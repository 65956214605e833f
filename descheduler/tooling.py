"""What a cycle works with, as one value: ports and collaborators; does nothing by itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from descheduler.eventing import EventWriter
from descheduler.ledger import LedgerKeeper
from descheduler.metrics import Metrics
from descheduler.planning.desk import Asked
from descheduler.planning.gate import Gate
from descheduler.planning.problems.measured import Measured
from descheduler.reporting import Reporter
from policies.model.loading import Loaded
from policies.values.candidates import Victim
from policies.values.clusters import Cluster
from sources.clocks import Clock
from sources.kube.api import KubeApi
from sources.signals.reader import Inventory, SignalReader


class Clusters(Protocol):
    """Where snapshots come from: a watch in the loop, lists in a single run."""

    def snapshot(self) -> Cluster:
        """Return the cluster; kinds that are not known are in `unreadable`."""
        ...

    def fresh(self, victim: Victim) -> Cluster:
        """Return the cluster with everything that protects this victim as it is now, not as it was last seen."""
        ...


class TellPlans(Protocol):
    """Takes what the next plan is to know of the nodes."""

    def __call__(self, measured: Measured, /, *, at: float) -> None:
        """Take what was measured at a moment (monotonic seconds)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a cycle works with.

    `signals` gives the reader for a policy, the same one while the policy stays, and is told whose series count.
    `policy` is the one in force now, which may be another than that of the cycle. `gate` keeps single evictions and
    plans apart; `ask` takes the request for a plan where single evictions have no destination, `tell_plans` what the
    next plan is to know of the nodes.
    """

    api: KubeApi
    clusters: Clusters
    signals: Callable[[Loaded, Inventory], SignalReader]
    keeper: LedgerKeeper
    reporter: Reporter
    events: EventWriter
    metrics: Metrics
    clock: Clock
    leads: Callable[[], bool]
    stopping: Callable[[], bool]
    policy: Callable[[], Loaded]
    pause: Callable[[float], bool]
    own_namespace: str
    seed: int = 0
    gate: Gate = field(default_factory=Gate)
    ask: Callable[[Asked], None] = lambda _: None
    tell_plans: TellPlans = lambda _, *, at: None  # noqa: ARG005  # nobody is told
