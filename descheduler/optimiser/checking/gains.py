"""A plan is not worse than doing nothing: neither by its vector nor, without a good reason, by the cluster's usage."""

from collections.abc import Iterator

from descheduler.optimiser import vectors
from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation
from descheduler.optimiser.solution import doing_nothing


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield a vector larger than that of doing nothing, and a usage that falls for no more important tier."""
    problem, nothing = judged.problem, doing_nothing(judged.problem)
    planned = vectors.vector_of(problem, judged.assignment, judged.options)
    today = vectors.vector_of(problem, nothing, judged.options)
    if vectors.smaller(today, planned):
        yield Violation(rule=Rule.VECTOR, where="the plan", seen=_text(planned), allowed=f"at most {_text(today)}")
    before, after = vectors.usage(problem, nothing), vectors.usage(problem, judged.assignment)
    if after < before and not _excused(judged):
        yield Violation(
            rule=Rule.USAGE,
            where="the cluster",
            seen=f"{float(after):.6f}, and no tier gains that is more important than those that lose pods",
            allowed=f"at least {float(before):.6f}",
        )


def _excused(judged: Judged) -> bool:
    """Whether a tier more important than every one that loses pods has more of them placed."""
    planned = vectors.tally(judged.problem, judged.assignment)
    today = vectors.tally(judged.problem, doing_nothing(judged.problem))
    losing = next((tier for tier, evicted in enumerate(planned.evicted) if evicted), judged.problem.tiers)
    return any(planned.unplaced[tier] < today.unplaced[tier] for tier in range(losing))


def _text(named: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in named.items())
