"""The order in which a solution is carried out: all disruptions, then all placements, each possible after the others.

A plan evicts everybody before it lets anybody in, so room that two pods give each other is no obstacle. Within that, a
move whose target has room by then comes before one that still waits for it, and an eviction comes when nothing else is
left: what is cut short has taken as few pods as possible for nothing. Whom others follow by affinity comes first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from descheduler.optimiser.problem import Attraction, Problem
from descheduler.optimiser.solution import Assignment


@dataclass(frozen=True, slots=True)
class Steps:
    """Items in the order of their steps."""

    disruptions: tuple[int, ...]
    placements: tuple[int, ...]


def steps(problem: Problem, assignment: Assignment) -> Steps:
    """Return the steps of an assignment; who stays takes none."""
    places = tuple(enumerate(zip(problem.items, assignment, strict=True)))
    leaving = [at for at, (item, node) in places if item.node is not None and _leaves(item.must_leave, item.node, node)]
    coming = [at for at, (item, node) in places if item.node is None and node is not None]
    ranks = _ranks(problem, assignment, {*leaving, *coming})
    by_need = sorted(coming, key=lambda at: (ranks[at], problem.items[at].tier, at))
    return Steps(_unravelled(problem, assignment, leaving, ranks), tuple(by_need))


def _leaves(must_leave: bool, present: int, planned: int | None) -> bool:  # noqa: FBT001  # an item's own flag
    return planned != present and not (must_leave and planned is None)


def _unravelled(
    problem: Problem, assignment: Assignment, leaving: Sequence[int], ranks: Sequence[int]
) -> tuple[int, ...]:
    """Order disruptions so that each finds its target free where that can be had."""
    free = _free(problem)
    waiting = sorted(leaving, key=lambda at: (ranks[at], problem.items[at].tier, at))
    order: list[int] = []
    while waiting:
        chosen = next((at for at in waiting if _fits(problem, at, assignment[at], free)), None)
        if chosen is None:  # only evictions, and moves that wait for each other or for an eviction, are left
            chosen = next((at for at in waiting if assignment[at] is None), waiting[0])
        waiting.remove(chosen)
        order.append(chosen)
        item = problem.items[chosen]
        # The room of a victim that must leave is not given to others.
        _take(free, None if item.must_leave else item.node, item.requests, sign=1)
        _take(free, assignment[chosen], item.requests, sign=-1)
    return tuple(order)


def _free(problem: Problem) -> list[list[int]]:
    free = [list(site.room) for site in problem.sites]
    for item in problem.items:
        _take(free, item.node, item.requests, sign=-1)
    return free


def _take(free: list[list[int]], site: int | None, requests: Iterable[int], *, sign: int) -> None:
    if site is not None:
        free[site] = [left + sign * amount for left, amount in zip(free[site], requests, strict=True)]


def _fits(problem: Problem, at: int, site: int | None, free: list[list[int]]) -> bool:
    if site is None:
        return False
    wanted = problem.items[at].requests
    return all(amount <= 0 or amount <= left for amount, left in zip(wanted, free[site], strict=True))


def _ranks(problem: Problem, assignment: Assignment, stepping: set[int]) -> list[int]:
    """Return how many others must be there before each item, as required affinity chains them."""
    ranks = [0] * len(problem.items)
    for _ in range(len(problem.attractions)):
        before = list(ranks)
        for attraction in problem.attractions:
            _follow(attraction, assignment, stepping, ranks)
        if ranks == before:
            break
    return ranks


def _follow(attraction: Attraction, assignment: Assignment, stepping: set[int], ranks: list[int]) -> None:
    """Put the carriers of a term behind the first of whom they follow, unless somebody is there already."""
    domains, matching = attraction.domains, set(attraction.matching)
    first: dict[int, int] = {}
    for at in attraction.matching:
        place = assignment[at]
        if place is not None and domains[place] >= 0:
            rank = ranks[at] if at in stepping else -1
            first[domains[place]] = min(first.get(domains[place], rank), rank)
    for at in attraction.carriers:
        place = assignment[at]
        if at not in stepping or at in matching or place is None or domains[place] in attraction.fixed:
            continue
        ranks[at] = max(ranks[at], first.get(domains[place], -1) + 1)
