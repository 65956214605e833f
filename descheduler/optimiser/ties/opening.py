"""All ties of a problem, by pod; only constraints that can bind become one."""

from collections.abc import Iterable, Sequence

from descheduler.optimiser.problem import Attraction, Problem
from descheduler.optimiser.tables import Tables
from descheduler.optimiser.ties.attractions import AttractionTie
from descheduler.optimiser.ties.budgets import BudgetTie
from descheduler.optimiser.ties.exclusives import ExclusiveTie
from descheduler.optimiser.ties.separations import SeparationTie
from descheduler.optimiser.ties.spreads import SpreadTie
from descheduler.optimiser.ties.tie import Tie


def open_ties(problem: Problem, tables: Tables) -> dict[int, list[Tie]]:
    """Return the ties of each pod that has any."""
    of: dict[int, list[Tie]] = {}

    def tie(members: Iterable[int], made: Tie) -> None:
        for member in set(members):
            of.setdefault(member, []).append(made)

    disruptable = tables.running | tables.leaving
    for budget in problem.budgets:
        if budget.allowed < sum(bool(disruptable[member]) for member in budget.members):
            tie(budget.members, BudgetTie(tables, budget.members, budget.allowed))
    for exclusive in problem.exclusives:
        tie(exclusive.members, ExclusiveTie(tables))
    for separation in problem.separations:
        tie((*separation.carriers, *separation.others), SeparationTie(separation, tables))
    for attraction, settled in zip(problem.attractions, waits_for_nobody(problem.attractions), strict=True):
        tie((*attraction.carriers, *attraction.matching), AttractionTie(attraction, tables, settled))
    for spread in problem.spreads:
        tie((*spread.carriers, *spread.counted), SpreadTie(spread, tables))
    return of


def waits_for_nobody(attractions: Sequence[Attraction]) -> list[frozenset[int]]:
    """Return for each attraction the matches that may come first: pods whose own attractions are settled before it.

    Attractions are taken in the order in which they can be settled. In a circle the rest waits for who stays.
    """
    before: list[frozenset[int]] = [frozenset()] * len(attractions)
    carried = [frozenset(attraction.carriers) for attraction in attractions]
    left = list(range(len(attractions)))
    while left:
        waiting = frozenset[int]().union(*(carried[number] for number in left))
        # Whoever carries this very one is no first match of it either, but that makes no circle.
        free = [number for number in left if not _held_up(attractions[number], carried, left, number)] or left
        for number in free:
            before[number] = frozenset(attractions[number].matching) - waiting
        left = [number for number in left if number not in free]
    return before


def _held_up(attraction: Attraction, carried: Sequence[frozenset[int]], left: Iterable[int], number: int) -> bool:
    return any(other != number and carried[other].intersection(attraction.matching) for other in left)
