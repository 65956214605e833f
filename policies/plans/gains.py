"""Whether somebody still waits for what a plan makes room for, as a whole and at each of its steps; asks no rail."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from policies.plans.tallies import tallies
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanEntry

_RELIEF: Final = "relief"
NOBODY: Final = "nobody waits any more for what the plan makes room for"


def in_vain(plan: Plan, step: PlanEntry, cluster: Cluster) -> str | None:
    """Say why a step is for nobody: all were scaled away or deleted, or those for whom its node is cleared.

    A plan that places nobody has other gains, and so have the steps of a relief. While everybody still waits, each step
    is taken to be for somebody, since one may also leave a domain for others; once somebody is gone, a step must lead
    to the node of one who is not.
    """
    gains = [entry for entry in plan.entries if entry.source is None]
    left = _left(plan, gains, cluster)
    if len(left) == len(gains):
        return None
    if not left:
        return NOBODY
    if plan.trigger == _RELIEF or step.source in _cleared(plan, left):
        return None
    return f"nobody waits any more for what {step} makes room for on {step.source}"


def _left(plan: Plan, gains: Sequence[PlanEntry], cluster: Cluster) -> list[PlanEntry]:
    """Return those whom the plan places and who are there; of a controller all, until all of them are excused."""
    awaited, counted = Counter(entry.controller for entry in gains), tallies(plan, cluster)
    left = []
    for entry in gains:
        if entry.controller is None:
            pod = cluster.pods.get(entry.uid)
            there = pod is not None and not pod.ended
        else:
            there = counted[entry.controller].excused < awaited[entry.controller]
        left += [entry] if there else []
    return left


def _cleared(plan: Plan, gains: Sequence[PlanEntry]) -> set[str]:
    """Return the nodes that are cleared for these: theirs, and where those go who make room there."""
    nodes, more = set[str](), {entry.target for entry in gains if entry.target is not None}
    while more:
        nodes |= more
        more = {
            entry.target for entry in plan.disruptions if entry.source in nodes and entry.target is not None
        } - nodes
    return nodes
