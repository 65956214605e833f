"""Makes the candidates of both rules, with the numbers that records, moves and people need; orders none."""

from policies.rules.evidence import evidence
from policies.rules.world import World
from policies.values.candidates import Candidate
from policies.values.pods import Pod


def nominate(world: World, pod: Pod, *, rule: str, reason: str, slack: float | None) -> Candidate:
    """Return a candidate with its node's measured scores and its own, as far as they are known.

    Evidence is all of its own scores, the one it was ordered by included; the arithmetic about moves gets what adds up.
    """
    node = pod.node or ""
    known = {name: scores[str(pod)] for name, scores in world.pod_scores.items() if str(pod) in scores}
    signals = world.policy.signals.resources
    return Candidate(
        pod=pod,
        node=node,
        rule=rule,
        reason=reason,
        workload=world.inhabitants.workload(pod),
        evidence=evidence(
            node=world.contention.scores_on(node),
            pod=known,
            headroom=world.contention.headroom_of(node),
            slack=slack,
        ),
        scores={name: score for name, score in known.items() if signals[name].additive},
    )
