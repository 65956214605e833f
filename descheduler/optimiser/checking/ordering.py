"""The order of the disruptions: each one is the plan's, comes once, and is allowed after those before it.

An eviction never takes room away, so what can go wrong on the way is a budget. A pod that was moved waits for its new
node until the steps after it have made room there.
"""

from collections import Counter
from collections.abc import Iterator

from descheduler.optimiser import vectors
from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield each step that is impossible when its turn comes, and each disruption that has no step."""
    if judged.steps is None:
        return
    items = judged.problem.items
    open_steps = {index for index, node in enumerate(judged.assignment) if vectors.disturbed(items[index], node)}
    spent: Counter[int] = Counter()
    for position, step in enumerate(judged.steps):
        where = f"step {position}"
        if step not in open_steps:
            yield _wrong(where, _name(judged, step), "a pod that the plan moves or evicts, and only once")
            continue
        open_steps.remove(step)
        yield from _overdrawn(judged, step, where, spent)
    for index in sorted(open_steps):
        yield _wrong(judged.pod(index), "a disruption without a step", "one step")


def _overdrawn(judged: Judged, step: int, where: str, spent: Counter[int]) -> Iterator[Violation]:
    # By position: two budgets may have the same name.
    limits = [
        (at, budget.name, budget.allowed) for at, budget in enumerate(judged.problem.budgets) if step in budget.members
    ]
    if judged.problem.max_disruptions is not None:
        limits.append((-1, "the plan", judged.problem.max_disruptions))
    for at, name, allowed in limits:
        spent[at] += 1
        if spent[at] > max(0, allowed):
            yield _wrong(where, f"{judged.pod(step)}, number {spent[at]} of {name}", f"at most {max(0, allowed)}")


def _name(judged: Judged, step: int) -> str:
    known = 0 <= step < len(judged.problem.items)
    return judged.pod(step) if known else f"pod number {step}"


def _wrong(where: str, seen: str, allowed: str) -> Violation:
    return Violation(rule=Rule.STEP, where=where, seen=seen, allowed=allowed)
