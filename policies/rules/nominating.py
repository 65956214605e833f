"""Makes the candidates of both rules, with the numbers that records, moves and people need; orders none."""

from policies.rules.evidence import evidence
from policies.rules.world import World
from policies.values.candidates import Candidate
from policies.values.pods import Pod


def nominate(world: World, pod: Pod, *, rule: str, reason: str, slack: float | None) -> Candidate:
    """Return a candidate with its node's measured scores and its own, as far as they are known."""
    node = pod.node or ""
    scores = scores_of(world, pod)
    return Candidate(
        pod=pod,
        node=node,
        rule=rule,
        reason=reason,
        workload=world.inhabitants.workload(pod),
        evidence=evidence(
            node=world.contention.scores_on(node),
            pod=scores,
            headroom=world.contention.headroom_of(node),
            slack=slack,
        ),
        scores=scores,
    )


def scores_of(world: World, pod: Pod) -> dict[str, float]:
    """Return the pod's known `R_i` by additive resource, for the arithmetic about moves."""
    signals = world.policy.signals.resources
    return {
        name: scores[str(pod)]
        for name, scores in world.pod_scores.items()
        if signals[name].additive and str(pod) in scores
    }
