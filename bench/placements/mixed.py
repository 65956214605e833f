"""Small crowded clusters with every kind of constraint, many of them broken already; drawn by seed, solved nowhere.

Each workload draws its constraints: a disruption budget, a host port, anti-affinity to itself or to another, affinity,
a spread over zones. The present placement knows none of them, and a few nodes are too full or accept nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bench.placements.fleet import Fleet, problem_of
from bench.placements.sizes import NODE, Drawer
from descheduler.optimiser.problem import Attraction, Budget, Exclusive, Item, Problem, Separation, Site, Spread

_ZONES: Final = 3
_MOST_WEIGHT: Final = 3


def mixed(seed: int) -> Problem:
    """Return one problem of 3 to 12 nodes."""
    chance = np.random.default_rng([seed, 4])
    nodes, tiers = int(chance.integers(3, 13)), int(chance.integers(1, 5))
    fleet, drawer = Fleet.of(nodes, NODE), Drawer(chance, tiers=tiers)
    target = chance.uniform(0.9, 1.25)
    while fleet.demand() < target:
        fleet.add(drawer.draw())
    for pod in [*fleet.pods.values()]:
        if chance.random() < 0.08:  # noqa: PLR2004  # arbitrary: holes where pods have gone
            fleet.remove([pod])
    plain = problem_of(fleet, tiers=tiers)
    return _Ties(chance, plain).tied(_altered(chance, plain))


def _altered(chance: np.random.Generator, problem: Problem) -> Problem:
    """Return the problem with nodes that shrank or accept nobody, sets of eligible nodes, weights and victims."""
    count = len(problem.sites)
    some = sorted(chance.choice(count, size=max(1, count // 2), replace=False).tolist())
    zone = tuple(node for node in range(count) if node % _ZONES == 0)
    return replace(
        problem,
        sites=tuple(_site(chance, site) for site in problem.sites),
        items=tuple(_item(chance, item) for item in problem.items),
        eligibility=(*problem.eligibility, tuple(some), zone),
        max_disruptions=int(chance.integers(0, 20)) if chance.random() < 0.2 else None,  # noqa: PLR2004  # arbitrary
    )


def _site(chance: np.random.Generator, site: Site) -> Site:
    taken = tuple(int(amount * chance.choice([0.0, 0.0, 0.1, 0.3])) for amount in site.allocatable)
    room = tuple(all_ - part for all_, part in zip(site.allocatable, taken, strict=True))
    return replace(site, room=room, accepts=bool(chance.random() < 0.92))  # noqa: PLR2004  # arbitrary


def _item(chance: np.random.Generator, item: Item) -> Item:
    return replace(
        item,
        eligible=int(chance.choice([0, 0, 0, 0, 1, 2])),
        weight=int(chance.integers(1, _MOST_WEIGHT + 1)),
        must_leave=item.node is not None and bool(chance.random() < 0.04),  # noqa: PLR2004  # arbitrary
    )


@dataclass(slots=True)
class _Ties:
    """Draws what ties pods together, workload by workload."""

    chance: np.random.Generator
    problem: Problem

    def tied(self, problem: Problem) -> Problem:
        """Return the problem with constraints."""
        groups = [*self._groups(problem).values()]
        chosen = [group for group in groups if self.chance.random() < 0.6]  # noqa: PLR2004  # arbitrary
        kinds = self.chance.integers(0, 6, size=len(chosen)).tolist()
        of = {kind: [group for group, one in zip(chosen, kinds, strict=True) if one == kind] for kind in range(6)}
        hosts, zones = self._hosts(problem), tuple(node % _ZONES for node in range(len(problem.sites)))
        return replace(
            problem,
            budgets=tuple(
                Budget(name=f"pdb-{at}", members=members, allowed=int(self.chance.integers(0, 3)))
                for at, members in enumerate((*of[0], *of[1]))
            ),
            exclusives=tuple(Exclusive(name=f"port-{at}", members=members) for at, members in enumerate(of[1])),
            separations=tuple(
                Separation(name=f"apart-{at}", carriers=members, others=self._partner(groups, members), domains=hosts)
                for at, members in enumerate(of[2])
            ),
            attractions=tuple(self._attraction(at, members, groups, zones) for at, members in enumerate(of[3])),
            spreads=tuple(self._spread(at, members, zones) for at, members in enumerate(of[4])),
        )

    @staticmethod
    def _groups(problem: Problem) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for at, item in enumerate(problem.items):
            found[item.owner] = (*found.get(item.owner, ()), at)
        return found

    def _partner(self, groups: Sequence[tuple[int, ...]], members: tuple[int, ...]) -> tuple[int, ...]:
        return members if self.chance.random() < 0.5 else groups[int(self.chance.integers(len(groups)))]  # noqa: PLR2004  # even odds

    def _hosts(self, problem: Problem) -> tuple[int, ...]:
        """Return each node as a domain of its own, a few without the label."""
        return tuple(
            -1 if self.chance.random() < 0.05 else node  # noqa: PLR2004  # arbitrary
            for node in range(len(problem.sites))
        )

    def _attraction(
        self, at: int, members: tuple[int, ...], groups: Sequence[tuple[int, ...]], zones: tuple[int, ...]
    ) -> Attraction:
        matching = self._partner(groups, members)
        fixed = (int(self.chance.integers(_ZONES)),) if self.chance.random() < 0.5 else ()  # noqa: PLR2004  # even odds
        return Attraction(
            name=f"near-{at}",
            carriers=members,
            matching=matching,
            domains=zones,
            fixed=fixed,
            first_exempt=matching == members,
        )

    def _spread(self, at: int, members: tuple[int, ...], zones: tuple[int, ...]) -> Spread:
        present = tuple(sorted({*zones}))
        return Spread(
            name=f"spread-{at}",
            carriers=members,
            counted=members,
            domains=zones,
            least_over=present,
            max_skew=int(self.chance.integers(1, 3)),
            min_domains=int(self.chance.integers(1, 4)),
            fixed=tuple((zone, int(self.chance.integers(0, 2))) for zone in present),
        )
