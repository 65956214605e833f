"""The soft SLO rule: a pod whose average slack stays breached is moved, where moving can be the cure.

It is a placement problem only where the pod's node is short of headroom and the workload's other replicas are well;
everything else is refused as "not a placement problem", because a bad release follows its pods to every node.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from policies.buoyancy.tolerance import above, below, level
from policies.model.slos import Slo
from policies.rules.nominating import nominate
from policies.rules.objectives import Objective, Reading
from policies.rules.ordering import offered
from policies.rules.world import World
from policies.values.candidates import Candidate, Proposal
from policies.values.refusals import Refusal, Scope

NAME: Final = "soft-slo"
NOT_PLACEMENT: Final = "not-a-placement-problem"
MOST_NAMED: Final = 3
FEWEST_REPLICAS: Final = 3  # a share of fewer says nothing: one of two is always half of them


def propose(world: World) -> tuple[Proposal, ...]:
    """Return the proposals of every objective in the policy's order, workload by workload."""
    verified = (objective for objective in world.objectives if objective.verified)
    return tuple(proposal for objective in verified for proposal in _of_objective(world, objective))


def _of_objective(world: World, objective: Objective) -> Iterator[Proposal]:
    for owner, readings in objective.breached().items():
        workload = world.inhabitants.workload(readings[0].pods[0])
        empty = Proposal(rule=NAME, trouble=f"{objective.slo.name} of {owner}", workload=workload)
        if not objective.remembers:
            yield replace(empty, refusal=_no_history(world, objective.slo))
            continue
        lasting = [reading for reading in readings if reading.breaching and reading.trouble]
        if not lasting:
            continue
        refusal = _whole_workload(world, objective.slo, readings)
        if refusal is not None:
            yield replace(empty, refusal=refusal)
            continue
        candidates = [candidate for reading in lasting for candidate in _candidates(world, objective.slo, reading)]
        yield from _guarded(world, empty, candidates)


def _whole_workload(world: World, slo: Slo, readings: Sequence[Reading]) -> Refusal | None:
    """Refuse where too many replicas breach at once: what they share is not their node."""
    measured = [reading.average for reading in readings if reading.average is not None]
    breaching = sum(below(average, slo.evict_below) for average in measured)
    allowed = world.policy.eviction.max_breached_share
    if slo.per == "workload" or len(measured) < FEWEST_REPLICAS or not above(breaching / len(measured), allowed):
        return None
    message = (
        f"not a placement problem: {breaching} of {len(measured)} measured replicas breach {slo.name} at once; "
        f"at most {allowed:.0%} may"
    )
    return Refusal(NOT_PLACEMENT, message, Scope.WORKLOAD)


def _candidates(world: World, slo: Slo, reading: Reading) -> Iterator[Candidate]:
    for pod in reading.pods:
        room = world.contention.headroom_of(pod.node or "")
        where = f"{pod.node} with {'unknown headroom' if room is None else f'headroom {room:.3g}'}"
        reason = f"{slo.name} has an average slack of {reading.average:.3g}, below {slo.evict_below:g}, on {where}"
        yield nominate(world, pod, rule=NAME, reason=reason, slack=reading.average)


def _guarded(world: World, empty: Proposal, candidates: Sequence[Candidate]) -> Iterator[Proposal]:
    """Yield the pods on contended nodes as one proposal, and a refused one for those elsewhere.

    A refused proposal carries no candidates, so that nobody can be chosen from it by mistake; its text names them.
    """
    limit = world.policy.eviction.only_if_node_below
    if limit == "off":
        yield _proposal(world, empty, candidates)
        return
    rooms = {candidate.node: world.contention.headroom_of(candidate.node) for candidate in candidates}
    contended = [one for one in candidates if (room := rooms[one.node]) is not None and below(room, limit)]
    roomy = [one for one in candidates if (room := rooms[one.node]) is not None and not below(room, limit)]
    unknown = [one for one in candidates if rooms[one.node] is None]
    if contended:
        yield _proposal(world, empty, contended)
    if roomy:
        yield replace(empty, refusal=_not_placement(roomy, rooms, limit=limit))
    if unknown:
        yield replace(empty, refusal=_unknown_headroom(unknown))


def _proposal(world: World, empty: Proposal, candidates: Iterable[Candidate]) -> Proposal:
    """Order by `s_bar`, lowest first, then by the node with least headroom (unknown last), then by name.

    The replicas of one workload-wide reading share their `s_bar`, so that the node decides between them.
    """
    by_pod = {candidate.pod.uid: candidate for candidate in candidates}
    pods = [candidate.pod for candidate in sorted(by_pod.values(), key=_order)]
    chosen = offered(pods, fall_back=world.policy.eviction.fall_back)
    return replace(empty, candidates=tuple(by_pod[pod.uid] for pod in chosen))


def _order(candidate: Candidate) -> tuple[float, float, str]:
    figures = candidate.evidence
    return level(figures["slack"]), figures.get("headroom", math.inf), str(candidate.pod)


def _not_placement(roomy: Sequence[Candidate], rooms: Mapping[str, float | None], *, limit: float) -> Refusal:
    where = _listed(f"{one.pod} on {one.node} with headroom {rooms[one.node]:.3g}" for one in roomy)
    message = f"not a placement problem: {where}; allowed is only below {limit:g}"
    return Refusal(NOT_PLACEMENT, message, Scope.POD)


def _unknown_headroom(unknown: Sequence[Candidate]) -> Refusal:
    where = _listed(f"{one.pod} on {one.node}" for one in unknown)
    message = f"unknown headroom: {where}; without it nobody can tell whether moving would help"
    return Refusal("unknown-headroom", message, Scope.POD)


def _listed(texts: Iterable[str]) -> str:
    """Name a few and count the rest: a message must stay readable in an event."""
    known = sorted(texts)
    more = len(known) - MOST_NAMED
    return ", ".join(known[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _no_history(world: World, slo: Slo) -> Refusal:
    seen, consecutive = len(world.saturation.times), world.policy.eviction.consecutive
    message = (
        f"no history: {seen} evaluations are known; allowed are enough for a window of {slo.window:g} s "
        f"before each of {consecutive} in a row"
    )
    return Refusal("no-history", message, Scope.CLUSTER)
