"""The best plan of a tiny problem by trying all; knows rooms and eligibility, leaves the rest to the checker."""

from collections.abc import Iterator

from descheduler.optimiser import vectors
from descheduler.optimiser.checking import check
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options


def allowed_plans(problem: Problem, options: Options) -> Iterator[Assignment]:
    """Yield every plan that passes the checker, the best first."""
    ranked = sorted(_assignments(problem), key=lambda plan: tuple(vectors.vector_of(problem, plan, options).values()))
    return (plan for plan in ranked if not check(problem, plan, options))


def best_plan(problem: Problem, options: Options) -> Assignment:
    """Return the best plan there is; doing nothing is always one."""
    return next(allowed_plans(problem, options))


def _assignments(problem: Problem) -> Iterator[Assignment]:
    """Yield what does not overfill a node at once; a node that is over its room today has what it holds."""
    free = [list(site.room) for site in problem.sites]
    held = [[0] * len(problem.resources) for _ in problem.sites]
    for item in problem.items:
        if item.node is not None:
            target = free if item.must_leave else held
            sign = -1 if item.must_leave else 1
            for resource, amount in enumerate(item.requests):
                target[item.node][resource] += sign * amount
    for node, amounts in enumerate(held):
        free[node] = [max(*pair) for pair in zip(free[node], amounts, strict=True)]
    yield from _extend(problem, free, ())


def _extend(problem: Problem, free: list[list[int]], chosen: Assignment) -> Iterator[Assignment]:
    if len(chosen) == len(problem.items):
        yield chosen
        return
    yield from _extend(problem, free, (*chosen, None))
    item = problem.items[len(chosen)]
    for node in sorted({*problem.eligibility[item.eligible], *([] if item.node is None else [item.node])}):
        left = [room - amount for room, amount in zip(free[node], item.requests, strict=True)]
        if min(left, default=0) >= 0:
            before, free[node] = free[node], left
            yield from _extend(problem, free, (*chosen, node))
            free[node] = before
