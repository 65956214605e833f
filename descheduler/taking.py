"""A snapshot of a live cluster with its ledger and everything measured, as it can be saved; writes nothing."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from descheduler import observing
from descheduler.ledger import Ledger, LedgerKeeper, LedgerUnreadable
from descheduler.observing import Scene
from descheduler.planning.problems.measured import Measured, measured
from descheduler.proposing import inventory_of
from policies.model.policy import Policy
from policies.values.clusters import Cluster
from policies.values.standings import NodeStanding
from sources.clocks import Clock
from sources.kube import listing
from sources.kube.api import KubeApi
from sources.kube.errors import NotFound
from sources.signals.reader import Inventories, OpenReader, SignalReader
from sources.snapshots.snapshot import Snapshot, Use

Open: TypeAlias = Callable[[Policy, Inventories], OpenReader]


def take(
    api: KubeApi, policy: Policy, *, namespace: str, open_signals: Open, clock: Clock
) -> tuple[Snapshot, Mapping[str, str]]:
    """Return a snapshot, and in words what is not known, by step.

    Raises:
        ApiError: nothing at all can be read.
    """
    cluster, ledger = observing.on_one_clock(listing.list_cluster(api), _ledger(api, namespace, clock))
    inventory = inventory_of(cluster)
    reader = open_signals(policy, lambda: inventory)
    try:
        history = reader.history(cluster.now, span=policy.history_span)
        scene = observing.evaluate(cluster, ledger, history, policy)
        seen, standings = _measure(scene, reader)
    finally:
        reader.close()
    snapshot = Snapshot(cluster=cluster, records=ledger.records, standings=standings, use=_use(seen, cluster, policy))
    return snapshot, scene.troubles


def _ledger(api: KubeApi, namespace: str, clock: Clock) -> Ledger | LedgerUnreadable:
    """Return the ledger; where the cluster does not have the kind of its records yet, there are none."""
    try:
        return LedgerKeeper(api, namespace=namespace, writer="", clock=clock).read()
    except LedgerUnreadable as error:
        return Ledger(records=(), now=0.0) if isinstance(error.__cause__, NotFound) else error


def _measure(scene: Scene, reader: SignalReader) -> tuple[Measured, Mapping[str, NodeStanding]]:
    at = scene.cluster.now
    additive = {name: one for name, one in scene.policy.signals.resources.items() if one.additive}
    workloads = {name: reader.workloads(name, at) for name, one in additive.items() if one.workload is not None}
    pods = {name: reader.pods(name, at) for name, one in additive.items() if one.pod is not None}
    scene = scene.with_standings(workloads)
    return measured(scene, pods=pods, workloads=workloads), dict(scene.standings)


def _use(seen: Measured, cluster: Cluster, policy: Policy) -> Use:
    """Return what each live pod uses or is expected to, so that a saved snapshot needs no names of workloads for it."""
    additive = [name for name, one in policy.signals.resources.items() if one.additive]
    live = [pod for pod in cluster.pods.values() if not pod.ended]
    return {name: {pod.uid: seen.use_of(pod, name) for pod in live} for name in additive}
