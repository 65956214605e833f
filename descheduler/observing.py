"""The first step of a cycle: one cluster, one ledger, one stretch of signals, and what follows from them by formula.

It reads and computes; it proposes, refuses and writes nothing. What cannot be read is marked unreadable, which every
rail that needs it refuses on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from descheduler.ledger import Ledger, LedgerKeeper, LedgerUnreadable
from policies.buoyancy.coverage import coverage
from policies.buoyancy.recent_pods import Population, loads_of
from policies.buoyancy.standing import stand
from policies.model.policy import Policy
from policies.rails.situation import Situation
from policies.rules import objectives, pod_use, world
from policies.rules.world import World
from policies.values import kinds
from policies.values.candidates import Victim
from policies.values.clusters import Cluster
from policies.values.signals import SignalHistory
from policies.values.standings import NodeStanding
from sources.signals.reader import SignalReader


class Clusters(Protocol):
    """Where snapshots come from: a watch in the loop, a list in a single run."""

    def snapshot(self) -> Cluster:
        """Return the cluster; kinds that are not known are in `unreadable`."""
        ...

    def fresh(self) -> Cluster:
        """Return the cluster as it is now, not as it was at the start of a long cycle."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """What a cycle looks through."""

    clusters: Clusters
    signals: SignalReader
    keeper: LedgerKeeper


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

    def situation(self, *, own_namespace: str) -> Situation:
        """Return what the rails look at."""
        return Situation(
            cluster=self.cluster,
            policy=self.policy,
            observing=self.observing,
            records=self.ledger.records,
            own_namespace=own_namespace,
        )


def observe(eyes: Eyes, policy: Policy, *, open_ledger: Ledger | LedgerUnreadable) -> Scene:
    """Return the scene of this moment. The ledger comes first: every window is counted by its time."""
    cluster, ledger = marked(eyes.clusters.snapshot(), open_ledger)
    history = eyes.signals.history(cluster.now, span=policy.history_span)
    scene = Scene(cluster=cluster, ledger=ledger, policy=policy, history=history, troubles=_troubles(cluster, history))
    if not len(history.times):
        return scene
    seen = world.observe(cluster, history, records=ledger.records, policy=policy)
    use = {name: eyes.signals.pods(name, cluster.now) for name in sorted(pod_use.wanted(seen))}
    seen = pod_use.with_pod_use(seen, use)
    ready = [node.name for node in cluster.nodes.values() if node.ready]
    return replace(
        scene,
        world=seen,
        standings=_standings(seen),
        coverage=coverage(seen.saturation, among=ready),
    )


def read_ledger(keeper: LedgerKeeper) -> Ledger | LedgerUnreadable:
    """Return the ledger, or why it cannot be read."""
    try:
        return keeper.read()
    except LedgerUnreadable as error:
        return error


def marked(cluster: Cluster, ledger: Ledger | LedgerUnreadable) -> tuple[Cluster, Ledger]:
    """Return cluster and ledger on one clock; an unreadable ledger is marked, and empty only in name."""
    if isinstance(ledger, Ledger):
        return replace(cluster, now=max(cluster.now, ledger.now)), ledger
    unreadable = {**cluster.unreadable, kinds.RECORDS: str(ledger)}
    return replace(cluster, unreadable=unreadable), Ledger(records=(), now=cluster.now)


def revalidated(scene: Scene, eyes: Eyes, *, ledger: Ledger, done: tuple[Victim, ...]) -> Scene:
    """Return the scene with cluster and ledger of now; the signals stay those that the decision rests on."""
    cluster, ledger = marked(eyes.clusters.fresh(), ledger)
    del done  # counted by the situation, not by the scene
    return replace(scene, cluster=cluster, ledger=ledger)


def _standings(seen: World) -> Mapping[str, NodeStanding]:
    signals = seen.policy.signals
    population = Population(nodes=seen.cluster.nodes, pods=seen.cluster.pods.values())
    return stand(
        seen.saturation,
        include_slack=seen.policy.buoyancy.include_slack,
        slacks=objectives.node_slacks(seen.objectives),
        loads=loads_of(seen.saturation, signals, population),
    )


def _troubles(cluster: Cluster, history: SignalHistory) -> Mapping[str, str]:
    troubles = {f"list/{kind}": cause for kind, cause in cluster.unreadable.items()}
    troubles |= {f"signal/{query}": cause for query, cause in history.failures.items()}
    if not len(history.times):
        troubles["signals"] = "the source gave no evaluation at all"
    return troubles
