"""A pod comes only to a node that it may run on and that accepts pods; where it runs it may stay."""

from collections.abc import Iterator

from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield each pod that comes to a node closed to it, and each victim that is told to stay."""
    problem = judged.problem
    eligible = [frozenset(nodes) for nodes in problem.eligibility]
    for index in sorted(judged.comers):
        place = judged.places[index]
        item = problem.items[index]
        if place is not None and not problem.sites[place].accepts:
            yield _closed(judged, index, "a node that accepts pods")
        if place not in eligible[item.eligible]:
            yield _closed(judged, index, f"one of the {len(eligible[item.eligible])} nodes it may run on")
    for index, (item, node) in enumerate(zip(problem.items, judged.assignment, strict=True)):
        if item.must_leave and node is not None and node == item.node:
            yield _closed(judged, index, "any other node, or none")


def _closed(judged: Judged, index: int, allowed: str) -> Violation:
    place = judged.places[index]
    seen = "nowhere" if place is None else judged.site(place)
    return Violation(rule=Rule.ELIGIBILITY, where=judged.pod(index), seen=seen, allowed=allowed)
