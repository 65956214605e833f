"""The buoyancy rule: an oversubscribed node gives up the pod that takes most of its contested resource.

It decides on headroom alone. That somebody suffers on a node evicts no neighbour: a breach can come from a bad release
or a slow backend. Which pods may go at all is for the rails to say; the rule keeps the whole order.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from policies.buoyancy.coverage import coverage
from policies.buoyancy.tolerance import below, level
from policies.rules.nominating import nominate
from policies.rules.objectives import slack_by_pod
from policies.rules.ordering import offered
from policies.rules.world import World
from policies.values.candidates import Proposal
from policies.values.pods import Pod
from policies.values.refusals import Refusal, Scope

NAME: Final = "buoyancy"


def propose(world: World) -> tuple[Proposal, ...]:
    """Return one proposal for each oversubscribed node, by name."""
    contention = world.contention
    if not contention.remembers:
        return tuple(_refused(world, node, _no_history(world)) for node in sorted(contention.hot))
    nodes = sorted(contention.oversubscribed)
    thin = _thin_coverage(world) if nodes else None
    if thin is not None:
        return tuple(_refused(world, node, thin) for node in nodes)
    slack = slack_by_pod(world.objectives) if nodes else {}
    return tuple(_proposal(world, node, slack) for node in nodes)


def _thin_coverage(world: World) -> Refusal | None:
    """Refuse everybody where too few nodes are measured: the free ones may only look free."""
    names = [node.name for node in world.cluster.nodes.values() if node.ready and not node.terminating]
    share, wanted = coverage(world.saturation, among=names), world.policy.signals.min_coverage
    if not below(share, wanted):
        return None
    message = f"{share:.0%} of {len(names)} ready nodes have all signals fresh; allowed is {wanted:.0%} or more"
    return Refusal("coverage", message, Scope.CLUSTER)


def _proposal(world: World, node: str, slack: Mapping[str, float]) -> Proposal:
    resource = world.contention.contested_on(node) or ""
    scores = world.pod_scores.get(resource, {})
    measured = [pod for pod in world.inhabitants.on(node) if str(pod) in scores]
    refusal = _too_early(world, node, resource) or _nobody(node, resource, measured)
    if refusal is not None:
        return _refused(world, node, refusal)
    measured.sort(key=lambda pod: _order(pod, score=scores[str(pod)], slack=slack.get(pod.uid)))
    since = f"{_trouble(world, node)} for {world.policy.buoyancy.deschedule_after:g} s"
    return Proposal(
        rule=NAME,
        trouble=_trouble(world, node),
        node=node,
        candidates=tuple(
            nominate(
                world,
                pod,
                rule=NAME,
                reason=f"{since}; {pod} takes {scores[str(pod)]:.3g} of it",
                slack=slack.get(pod.uid),
            )
            for pod in offered(measured, fall_back=world.policy.eviction.fall_back)
        ),
    )


def _order(pod: Pod, *, score: float, slack: float | None) -> tuple[float, float, str]:
    """Sort by `R_i`, largest first; of equals the lower `s_bar` goes first (unknown last), then by name."""
    return -level(score), math.inf if slack is None else slack, str(pod)


def _trouble(world: World, node: str) -> str:
    resource = world.contention.contested_on(node) or ""
    room, score = world.contention.headroom_of(node), world.contention.scores_on(node).get(resource)
    threshold = world.policy.buoyancy.deschedule_below
    return f"{node} has headroom {room:.3g}, below {threshold:g}, over {resource} at {score:.3g}"


def _refused(world: World, node: str, refusal: Refusal) -> Proposal:
    return Proposal(rule=NAME, trouble=_trouble(world, node), node=node, refusal=refusal)


def _too_early(world: World, node: str, resource: str) -> Refusal | None:
    """Refuse until the node was sampled after its last eviction: what that one brought must be seen first."""
    evicted, sampled = world.evictions.last_by_node.get(node), world.contention.sampled_at(node, resource)
    if evicted is None or (sampled is not None and sampled > evicted):
        return None
    lag = "of unknown age" if sampled is None else f"{evicted - sampled:.0f} s older than its last eviction"
    return Refusal("fresh-samples", f"the newest sample of {resource} on {node} is {lag}; it must be newer", Scope.NODE)


def _nobody(node: str, resource: str, measured: Sequence[Pod]) -> Refusal | None:
    if measured:
        return None
    message = f"no pod on {node} has a fresh and verified score for {resource}; allowed are only pods with one"
    return Refusal("no-candidate", message, Scope.NODE)


def _no_history(world: World) -> Refusal:
    wanted = world.policy.buoyancy.deschedule_after
    seen = len(world.saturation.times)
    message = f"no history: {seen} evaluations are known; allowed are at least {wanted:g} s of them"
    return Refusal("no-history", message, Scope.CLUSTER)
