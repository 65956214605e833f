"""Made snapshots in which every workload has constraints of its own, as in real clusters; solves nothing.

Each workload of several replicas has a required anti-affinity over hostnames and a budget of one disruption: thousands
of small groups. The placement is that of the snapshot, which knows neither, so a few pods stand together already.
"""

from dataclasses import replace
from typing import Final

from bench.placements.snapshots import Cell, snapshot
from descheduler.optimiser.problem import Budget, Problem, Separation

_ALLOWED: Final = 1


def apart(cell: Cell, seed: int) -> Problem:
    """Return a snapshot with the constraints of its workloads."""
    problem = snapshot(cell, seed)
    hosts = tuple(range(cell.nodes))
    groups = {owner: members for owner, members in _groups(problem).items() if len(members) > 1}
    return replace(
        problem,
        budgets=tuple(
            Budget(name=f"pdb-{owner}", members=members, allowed=_ALLOWED) for owner, members in groups.items()
        ),
        separations=tuple(
            Separation(name=f"apart-{owner}", carriers=members, others=members, domains=hosts)
            for owner, members in groups.items()
        ),
    )


def _groups(problem: Problem) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for at, item in enumerate(problem.items):
        found.setdefault(item.owner, []).append(at)
    return {owner: tuple(members) for owner, members in found.items()}
