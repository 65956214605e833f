"""How plans are compared: counts by tier, the vector that orders plans, the usage they reach; judges no constraint.

Source: docs/design/optimiser.md. Everything is an exact integer or fraction, and every assignment has a vector, also
one that breaks a constraint.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from descheduler.optimiser.problem import Item, Problem
from descheduler.optimiser.solution import Assignment, Options

Order = Literal["placement-first", "frozen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What an assignment does, by tier. `weights` are the summed prices of the disturbed pods.

    A victim that must leave is `placed` or `unplaced` like a pending pod: never evicted, its disruption in no weight,
    as both are the same for every plan.
    """

    placed: tuple[int, ...]
    unplaced: tuple[int, ...]
    moved: tuple[int, ...]
    evicted: tuple[int, ...]
    weights: tuple[int, ...]


def tally(problem: Problem, assignment: Assignment) -> Tally:
    """Count what happens to the pods of each tier."""
    placed, unplaced, moved, evicted, weights = ([0] * problem.tiers for _ in range(5))
    for item, node in zip(problem.items, assignment, strict=True):
        tier = item.tier
        (unplaced if node is None else placed)[tier] += 1
        if item.must_leave or not disturbed(item, node):
            continue
        (evicted if node is None else moved)[tier] += 1
        weights[tier] += item.weight
    return Tally(
        placed=tuple(placed),
        unplaced=tuple(unplaced),
        moved=tuple(moved),
        evicted=tuple(evicted),
        weights=tuple(weights),
    )


def disturbed(item: Item, node: int | None) -> bool:
    """Whether a running pod is taken off its node by this place; a victim without a place stays where it is."""
    return item.node is not None and whereabouts(item, node) != item.node


def whereabouts(item: Item, node: int | None) -> int | None:
    """Return where the pod really is under this place, None if nowhere."""
    return item.node if node is None and item.must_leave else node


def disruptions(problem: Problem, assignment: Assignment) -> int:
    """Return how many pods are moved or evicted, victims that must leave among them."""
    return sum(disturbed(item, node) for item, node in zip(problem.items, assignment, strict=True))


def vector(problem: Problem, assignment: Assignment, *, order: Order, evict_for_count: bool) -> dict[str, int]:
    """Return what is compared, most important first: the lexicographically smaller plan is the better one.

    `V[t]` evicted and `U[t]` unplaced pods of tier t; then `D`, the weight of all disturbed pods, or under `frozen`
    `D[t]` after each tier, its own weight only: where it is reached, the tiers above it are equal already.
    """
    counted = tally(problem, assignment)
    named: dict[str, int] = {}
    for tier in range(problem.tiers):
        if not evict_for_count:
            named[f"V[{tier}]"] = counted.evicted[tier]
        named[f"U[{tier}]"] = counted.unplaced[tier]
        if order == "frozen":
            named[f"D[{tier}]"] = counted.weights[tier]
    if order == "placement-first":
        named["D"] = sum(counted.weights)
    return named


def vector_of(problem: Problem, assignment: Assignment, options: Options) -> dict[str, int]:
    """Return the vector under these options."""
    return vector(problem, assignment, order=options.order, evict_for_count=options.evict_for_count)


def smaller(left: Mapping[str, int], right: Mapping[str, int]) -> bool:
    """Whether the first of two vectors of one problem and order is the better one."""
    return tuple(left.values()) < tuple(right.values())


def better(problem: Problem, left: Assignment, right: Assignment, options: Options) -> bool:
    """Whether the first assignment is strictly better than the second."""
    return smaller(vector_of(problem, left, options), vector_of(problem, right, options))


def usage(problem: Problem, assignment: Assignment) -> Fraction:
    """Return the effective usage: the largest share of a primary resource that is asked for, what is fixed included.

    Resources that no node has are left out.
    """
    shares = [_share(problem, assignment, resource) for resource in problem.primary]
    return max(shares, default=Fraction(0))


def _share(problem: Problem, assignment: Assignment, resource: int) -> Fraction:
    capacity = sum(site.allocatable[resource] for site in problem.sites)
    if capacity <= 0:
        return Fraction(0)
    fixed = capacity - sum(site.room[resource] for site in problem.sites)
    asked = sum(
        item.requests[resource]
        for item, node in zip(problem.items, assignment, strict=True)
        if whereabouts(item, node) is not None
    )
    return Fraction(fixed + asked, capacity)
