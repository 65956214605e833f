"""All ties of a problem, by pod; only constraints that can bind become one."""

from collections.abc import Iterable, Iterator, Sequence

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

    Attractions are taken in the order in which they can be settled. In a circle the rest waits for who stays, which
    refuses some plans that could be carried out.
    """
    before: list[frozenset[int]] = [frozenset()] * len(attractions)
    for numbers, waiting in _rounds(attractions):
        for number in numbers:
            before[number] = frozenset(attractions[number].matching) - waiting
    return before


def circular(attractions: Sequence[Attraction]) -> bool:
    """Whether some attractions wait for each other, so that the rows refuse plans that could be carried out."""
    return any(
        _held_up(attractions[number], attractions, numbers, number)
        for numbers, _ in _rounds(attractions)
        for number in numbers
    )


def _rounds(attractions: Sequence[Attraction]) -> Iterator[tuple[list[int], frozenset[int]]]:
    """Yield the attractions that can be settled next, and who still waits then; a circle is one round."""
    left = list(range(len(attractions)))
    while left:
        waiting = frozenset[int]().union(*(attractions[number].carriers for number in left))
        # Whoever carries this very one is no first match of it either, but that makes no circle.
        free = [number for number in left if not _held_up(attractions[number], attractions, left, number)] or left
        yield free, waiting
        left = [number for number in left if number not in free]


def _held_up(attraction: Attraction, attractions: Sequence[Attraction], left: Iterable[int], number: int) -> bool:
    matching = set(attraction.matching)
    return any(other != number and matching.intersection(attractions[other].carriers) for other in left)
