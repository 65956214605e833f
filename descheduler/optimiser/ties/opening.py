"""All ties of a problem, by pod; only constraints that can bind become one."""

from collections.abc import Iterable

from descheduler.optimiser.problem import Problem, Separation
from descheduler.optimiser.tables import Tables
from descheduler.optimiser.ties.attractions import AttractionTie
from descheduler.optimiser.ties.budgets import BudgetTie
from descheduler.optimiser.ties.regions import Once, Regions
from descheduler.optimiser.ties.separations import SeparationTie
from descheduler.optimiser.ties.spreads import Over, SpreadTie
from descheduler.optimiser.ties.tie import Tie
from descheduler.optimiser.ties.waiting import waits_for_nobody


def open_ties(problem: Problem, tables: Tables) -> dict[int, list[Tie]]:
    """Return the ties of each pod that has any."""
    of: dict[int, list[Tie]] = {}
    regions, over = Once(Regions), Once(Over.of)

    def tie(members: Iterable[int], made: Tie) -> None:
        for member in set(members):
            of.setdefault(member, []).append(made)

    for budget in problem.budgets:
        if budget.allowed < sum(tables.home[member] >= 0 for member in budget.members):
            tie(budget.members, BudgetTie(tables, budget.members, budget.allowed))
    for separation in (*_ports(problem), *problem.separations):
        made = SeparationTie(separation, tables, regions.of(separation.domains))
        tie((*separation.carriers, *separation.others), made)
    for attraction, settled in zip(problem.attractions, waits_for_nobody(problem.attractions), strict=True):
        near = AttractionTie(attraction, tables, regions.of(attraction.domains), settled)
        tie((*attraction.carriers, *attraction.matching), near)
    for spread in problem.spreads:
        even = SpreadTie(spread, tables, regions.of(spread.domains), over.of(spread.least_over))
        tie((*spread.carriers, *spread.counted), even)
    return of


def _ports(problem: Problem) -> Iterable[Separation]:
    """Yield host ports as what they are: who takes one keeps the others away from its node."""
    nodes = tuple(range(len(problem.sites)))
    for port in problem.exclusives:
        yield Separation(name=port.name, carriers=port.members, others=port.members, domains=nodes)
