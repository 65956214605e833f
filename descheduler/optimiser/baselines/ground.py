"""What a baseline may touch: each node's room and each pod's possible nodes, the present placement always possible."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from descheduler.optimiser.problem import Problem

_MOST: Final = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """`rooms` by node and resource; `reach` the nodes of each pod, its own first; `homes` where each one may stay.

    A victim that must leave has no home and keeps its room: it is like a pending pod.
    """

    rooms: tuple[tuple[int, ...], ...]
    reach: tuple[tuple[int, ...], ...]
    homes: tuple[int | None, ...]


def survey(problem: Problem, *, ties: bool) -> Ground:
    """Return the ground. With `ties`, pods that more than room ties to others reach nothing but their own node."""
    homes = tuple(None if item.must_leave else item.node for item in problem.items)
    rooms = [list(site.room) for site in problem.sites]
    for item in problem.items:
        if item.must_leave and item.node is not None:
            _take(rooms[item.node], item.requests)
    loads = [[0] * len(problem.resources) for _ in problem.sites]
    for item, home in zip(problem.items, homes, strict=True):
        if home is not None:
            _take(loads[home], item.requests, sign=1)
    closed = {
        node
        for node, site in enumerate(problem.sites)
        if not site.accepts or any(load > room for load, room in zip(loads[node], rooms[node], strict=True))
    }
    bound = tied(problem) if ties else frozenset()
    return Ground(
        rooms=tuple(
            tuple(min(_MOST, max(*pair)) for pair in zip(rooms[node], loads[node], strict=True))
            for node in range(len(rooms))
        ),
        reach=tuple(_reach(problem, index, homes[index], closed, bound) for index in range(len(homes))),
        homes=homes,
    )


def oversized(problem: Problem) -> tuple[str, ...]:
    """Return in words which resources CP-SAT could not add up, as all pods together ask for more than 64 bits hold."""
    sums = [sum(item.requests[resource] for item in problem.items) for resource in range(len(problem.resources))]
    return tuple(
        f"{name}: seen requests of {asked} in all; allowed is less than {_MOST}"
        for name, asked in zip(problem.resources, sums, strict=True)
        if asked >= _MOST
    )


def tied(problem: Problem) -> frozenset[int]:
    """Return the pods that stand in a port, anti-affinity, affinity or spread constraint."""
    members: set[int] = set()
    for exclusive in problem.exclusives:
        members.update(exclusive.members)
    for separation in problem.separations:
        members.update(separation.carriers, separation.others)
    for attraction in problem.attractions:
        members.update(attraction.carriers, attraction.matching)
    for spread in problem.spreads:
        members.update(spread.carriers, spread.counted)
    return frozenset(members)


def _reach(problem: Problem, index: int, home: int | None, closed: set[int], bound: frozenset[int]) -> tuple[int, ...]:
    item = problem.items[index]
    mine = () if home is None else (home,)
    if index in bound:
        return mine
    others = (node for node in problem.eligibility[item.eligible] if node != item.node and node not in closed)
    return (*mine, *others)


def _take(amounts: list[int], requests: Iterable[int], *, sign: int = -1) -> None:
    for resource, amount in enumerate(requests):
        amounts[resource] += sign * amount
