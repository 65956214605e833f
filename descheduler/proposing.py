"""What follows from one scene without asking anybody: whom the rules propose, who is stuck, what moves have changed."""

import itertools
from typing import Final, TypeAlias

from descheduler import verifying
from descheduler.observing import Scene
from policies.feasibility.destinations import NO_DESTINATION
from policies.model.policy import Policy
from policies.rules import buoyancy, objectives, soft_slo
from policies.values.candidates import Outcome, Proposal
from policies.values.clusters import Cluster
from policies.values.records import EvictionRecord, Verification
from sources.signals.reader import Inventory

Landed: TypeAlias = tuple[tuple[EvictionRecord, Verification], ...]
_RELIEF_TRIES: Final = 3  # each is a solve of its own; arbitrary


def inventory_of(cluster: Cluster) -> Inventory:
    """Return whose series count: the nodes and live pods of a cluster."""
    return Inventory(nodes=cluster.nodes, pods={str(pod) for pod in cluster.pods.values() if not pod.ended})


def propose(scene: Scene) -> tuple[Proposal, ...]:
    """Return what the rules propose, the soft limit first: it decides when to act, buoyancy on what and where."""
    if scene.world is None:
        return ()
    return (*soft_slo.propose(scene.world), *buoyancy.propose(scene.world))


def measured_again(scene: Scene) -> Landed:
    """Return the landed records with the figures that their moves were to improve, as they stand now."""
    waiting = verifying.unmeasured(
        scene.ledger.records, now=scene.cluster.now, settled_after=settling_time(scene.policy)
    )
    if scene.world is None or not waiting:
        return ()
    rooms = {record.node: scene.world.contention.headroom_of(record.node) for record in waiting}
    figures = verifying.Figures(
        headroom={node: room for node, room in rooms.items() if room is not None},
        slack=objectives.slack_by_pod(scene.world.objectives),
    )
    return verifying.measure(waiting, figures)


def settling_time(policy: Policy) -> float:
    """Return after how many seconds every window of the policy has seen nothing but the new placement."""
    windows = [signal.rate_window for signal in policy.signals.resources.values()]
    windows += [slo.window for slo in policy.slos]
    return max(windows, default=0.0) + policy.signals.step


def stuck(outcome: Outcome) -> tuple[str, ...]:
    """Return the UIDs of a proposal's first candidates that only lack a destination, none where somebody goes."""
    if outcome.victim is not None:
        return ()
    lacking = (each.pod.uid for each, refusal in outcome.refused if refusal.rail == NO_DESTINATION)
    return tuple(itertools.islice(lacking, _RELIEF_TRIES))
