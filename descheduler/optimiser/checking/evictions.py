"""The rule of Kubernetes: a pod loses its place only where a strictly more important tier gains one."""

from collections.abc import Iterator

from descheduler.optimiser import vectors
from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation
from descheduler.optimiser.solution import doing_nothing


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield each tier that loses pods for nothing more important; none where the policy drops the rule."""
    if judged.options.evict_for_count:
        return
    planned = vectors.tally(judged.problem, judged.assignment)
    today = vectors.tally(judged.problem, doing_nothing(judged.problem))
    gaining = False
    for tier in range(judged.problem.tiers):
        if planned.evicted[tier] and not gaining:
            yield Violation(
                rule=Rule.EVICTION,
                where=f"tier {tier}",
                seen=f"{planned.evicted[tier]} evicted, and no more important tier has fewer unplaced pods",
                allowed="none",
            )
        gaining = gaining or planned.unplaced[tier] < today.unplaced[tier]
