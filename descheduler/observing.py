"""What one cycle knows, put together: the cluster, the ledger, the signals, and what follows from them by formula.

Pure but for its inputs: it computes, and proposes, refuses and writes nothing. What could not be read is marked
unreadable, which every rail that needs it refuses on.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from descheduler.ledger import Ledger, LedgerUnreadable
from policies.buoyancy.coverage import coverage
from policies.buoyancy.standing import stand
from policies.model.policy import Policy
from policies.placement.expected_load import Expectations, Turn
from policies.placement.steering import workload_of
from policies.placement.use_ratios import use_ratios
from policies.rails.situation import Situation
from policies.rules import objectives, pod_use, world
from policies.rules.world import World
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from policies.values.signals import Grid, SignalHistory
from policies.values.standings import NodeStanding


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All that one cycle knows. `world` is None without a single evaluation of the signals.

    `troubles` say in words what is not known, by step.
    """

    cluster: Cluster
    ledger: Ledger
    policy: Policy
    history: SignalHistory
    world: World | None = None
    standings: Mapping[str, NodeStanding] = field(default_factory=dict)
    coverage: float | None = None
    troubles: Mapping[str, str] = field(default_factory=dict)

    @property
    def observing(self) -> bool:
        """Whether this cycle only records what it would do."""
        return self.policy.eviction.mode == "observe"

    @property
    def troubled(self) -> frozenset[str]:
        """Name the nodes in trouble, which are no destinations."""
        return frozenset() if self.world is None else self.world.contention.troubled

    @property
    def wanted(self) -> tuple[str, ...]:
        """Name the resources whose pod use the rules need."""
        return () if self.world is None else tuple(sorted(pod_use.wanted(self.world)))

    @property
    def compared(self) -> frozenset[str]:
        """Name the pods whose use the rules need."""
        return frozenset() if self.world is None else pod_use.compared(self.world)

    def situation(self, *, own_namespace: str) -> Situation:
        """Return what the rails look at."""
        return Situation(
            cluster=self.cluster,
            policy=self.policy,
            observing=self.observing,
            records=self.ledger.records,
            own_namespace=own_namespace,
        )

    def with_pod_use(self, use: Mapping[str, Grid]) -> "Scene":
        """Return the scene with what pods take of the wanted resources."""
        return self if self.world is None else replace(self, world=pod_use.with_pod_use(self.world, use))

    def with_standings(self, workloads: Mapping[str, Grid]) -> "Scene":
        """Return the scene with how every node stands after assumed load: what destinations are judged by.

        `workloads` is the use of each additive resource by workload, where the policy has a query for it.
        """
        if self.world is None:
            return self
        resources = {
            name: replace(readings, workload=workloads.get(name)) for name, readings in self.history.resources.items()
        }
        return replace(self, standings=_standings(self.world, replace(self.history, resources=resources)))

    def with_records(self, changed: tuple[EvictionRecord, ...]) -> "Scene":
        """Return the scene with some records as they are now."""
        newer = {record.name: record for record in changed}
        records = tuple(newer.get(record.name, record) for record in self.ledger.records)
        return replace(self, ledger=replace(self.ledger, records=records))


def evaluate(cluster: Cluster, ledger: Ledger, history: SignalHistory, policy: Policy) -> Scene:
    """Return the scene of one moment; what only a cycle with candidates needs is added later."""
    scene = Scene(cluster=cluster, ledger=ledger, policy=policy, history=history, troubles=_troubles(cluster, history))
    if not len(history.times):
        return scene
    seen = world.observe(cluster, history, records=ledger.records, policy=policy)
    ready = [node.name for node in cluster.nodes.values() if node.ready]
    return replace(scene, world=seen, coverage=coverage(seen.saturation, among=ready))


def on_one_clock(cluster: Cluster, ledger: Ledger | LedgerUnreadable) -> tuple[Cluster, Ledger]:
    """Return cluster and ledger with one `now`; an unreadable ledger is marked, and empty only in name."""
    if isinstance(ledger, Ledger):
        return replace(cluster, now=max(cluster.now, ledger.now)), ledger
    unreadable = {**cluster.unreadable, kinds.RECORDS: str(ledger)}
    return replace(cluster, unreadable=unreadable), Ledger(records=(), now=cluster.now)


def _standings(seen: World, history: SignalHistory) -> Mapping[str, NodeStanding]:
    signals, pods = seen.policy.signals, tuple(seen.inhabitants)
    since = (
        seen.cluster.now - signals.stale_after - max((one.rate_window for one in signals.resources.values()), default=0)
    )
    turns = [
        Turn(pod.bound_at, pod, workload_of(pod)) for pod in pods if pod.bound_at is not None and pod.bound_at > since
    ]
    ratios = use_ratios(history, signals=signals, requested=_requested(pods), turns=turns) if turns else {}
    expected = Expectations(saturation=seen.saturation, signals=signals, nodes=seen.cluster.nodes, ratios=ratios)
    return stand(
        seen.saturation,
        include_slack=seen.policy.buoyancy.include_slack,
        slacks=objectives.node_slacks(seen.objectives),
        loads=expected.of_all(turns),
    )


def _requested(pods: Iterable[Pod]) -> Mapping[str, Mapping[str, int]]:
    """Return what the pods of each workload request in sum, by resource."""
    sums: dict[str, Counter[str]] = {}
    for pod in pods:
        sums.setdefault(workload_of(pod), Counter()).update(pod.requests.amounts)
    return sums


def _troubles(cluster: Cluster, history: SignalHistory) -> Mapping[str, str]:
    troubles = {f"list/{kind}": cause for kind, cause in cluster.unreadable.items()}
    troubles |= {f"signal/{query}": cause for query, cause in history.failures.items()}
    if not len(history.times):
        troubles["signals"] = "the source gave no evaluation at all"
    return troubles
