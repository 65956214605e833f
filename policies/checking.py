"""Chooses the cycle's victims: of each proposal the first candidate that passes every rail and has a destination.

Pure: proposals come in the order of their rules and stay in it, and what is chosen is taken off everything (budgets,
PDBs, replicas, room and headroom at the destination) before the next proposal is looked at. Nothing here acts.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from policies.feasibility.destinations import NO_DESTINATION, search
from policies.feasibility.outlook import Outlook, look_ahead
from policies.rails.order import first_refusal
from policies.rails.situation import Situation
from policies.values.candidates import Candidate, Outcome, Proposal, Victim
from policies.values.refusals import Refusal, Scope
from policies.values.standings import NodeStanding

GONE = "gone"


def choose(
    proposals: Sequence[Proposal],
    situation: Situation,
    standings: Mapping[str, NodeStanding],
    troubled: Collection[str],
) -> tuple[Outcome, ...]:
    """Return what comes of each proposal, in their order, with every refusal on the way.

    `standings` are the nodes' newest, `troubled` the nodes in trouble (hysteresis included): no destinations.
    """
    proposed = frozenset(candidate.pod.uid for proposal in proposals for candidate in proposal.candidates)
    outlook = look_ahead(replace(situation, proposed=proposed), standings, troubled)
    stops: dict[tuple[Scope, object], Refusal] = {}
    return tuple(_settle(proposal, outlook, stops) for proposal in proposals)


def recheck(
    victim: Victim,
    situation: Situation,
    standings: Mapping[str, NodeStanding],
    troubled: Collection[str],
) -> Refusal | None:
    """Return why a victim must not be evicted any more, None where it may.

    `situation` is built from state read after the choice, with `victims` those of this cycle that were acted upon
    before. The pod must still be the same one, on the same node, and its destination still be one.
    """
    chosen = victim.candidate
    pod = situation.cluster.pods.get(chosen.pod.uid)
    if pod is None:
        return Refusal(GONE, f"{chosen.pod} is gone")
    candidate = replace(chosen, pod=pod)
    refusal = first_refusal(candidate, situation)
    if refusal is not None or situation.policy.eviction.destination == "off":
        return refusal
    if victim.destination is None or victim.destination not in situation.cluster.nodes:
        return Refusal(NO_DESTINATION, f"destination {victim.destination} is gone")
    return search(candidate, look_ahead(situation, standings, troubled), only=victim.destination).refusal()


def _settle(proposal: Proposal, outlook: Outlook, stops: dict[tuple[Scope, object], Refusal]) -> Outcome:
    """Try a proposal's candidates in order, unless the rule itself refused; a victim is added to the outlook."""
    if proposal.refusal is not None:
        return Outcome(proposal=proposal)
    refused: list[tuple[Candidate, Refusal]] = []
    for candidate in proposal.candidates:
        answer = _try(candidate, outlook, stops)
        if isinstance(answer, Victim):
            outlook.expect(answer)
            outlook.situation = outlook.situation.plus(answer)
            return Outcome(proposal=proposal, victim=answer, refused=tuple(refused))
        refused.append((candidate, answer))
    return Outcome(proposal=proposal, refused=tuple(refused))


def _try(candidate: Candidate, outlook: Outlook, stops: dict[tuple[Scope, object], Refusal]) -> Victim | Refusal:
    """Return the victim a candidate would be, or the first reason against it; a wider one stops its whole scope."""
    situation = outlook.situation
    stopped = next((stops[key] for key in _scopes(candidate, situation) if key in stops), None)
    if stopped is not None:
        return stopped
    refusal = first_refusal(candidate, situation)
    if refusal is None:
        return _bound_for(candidate, outlook)
    if refusal.scope is not Scope.POD:
        key = next(key for key in _scopes(candidate, situation) if key[0] is refusal.scope)
        stops[key] = refusal
    return refusal


def _bound_for(candidate: Candidate, outlook: Outlook) -> Victim | Refusal:
    found = search(candidate, outlook)
    refusal = found.refusal()
    if refusal is not None and outlook.situation.policy.eviction.destination == "required":
        return refusal
    best = found.ranked[0] if found.ranked else None
    return Victim(
        candidate=candidate,
        destination=best.node if best else None,
        destination_headroom=best.headroom if best else None,
    )


def _scopes(candidate: Candidate, situation: Situation) -> tuple[tuple[Scope, object], ...]:
    """Return everything a refusal may speak for, widest first."""
    return (
        (Scope.CLUSTER, None),
        (Scope.NAMESPACE, candidate.pod.namespace),
        (Scope.NODE, candidate.node),
        (Scope.WORKLOAD, situation.ref(candidate)),
    )
