"""Random placement problems from a seed: 2-3 nodes, 4-6 pods, 1-3 tiers, nearly full, with budgets and constraints.

Hypothesis finds the corners; these are dense where solvers differ: something is pending, and moving others could help.
"""

import random

from hypothesis import strategies as st

from descheduler.optimiser.problem import (
    Attraction,
    Budget,
    Domains,
    Exclusive,
    Item,
    Problem,
    Separation,
    Site,
    Spread,
)

_SIZE = 10
Range = tuple[int, int]


def scattered_problems(*, ties: bool = True) -> st.SearchStrategy[Problem]:
    """Problems by seed, so that a failure names one."""
    return st.integers(0, 2**32 - 1).map(lambda seed: scattered(seed, ties=ties))


def scattered(seed: int, *, ties: bool = True, nodes_within: Range = (2, 3), pods_within: Range = (4, 6)) -> Problem:
    """Return the problem of this seed; without `ties` only room, eligibility and budgets matter."""
    rng = random.Random(seed)
    nodes, tiers = rng.randint(*nodes_within), rng.randint(1, 3)
    count = rng.randint(*pods_within)
    eligibility = (tuple(range(nodes)), tuple(sorted(rng.sample(range(nodes), rng.randint(1, nodes)))))
    items = _items(rng, nodes=nodes, tiers=tiers, count=count)
    return Problem(
        resources=("cpu", "memory"),
        sites=tuple(_site(rng, number) for number in range(nodes)),
        items=items,
        eligibility=eligibility,
        tiers=tiers,
        budgets=tuple(_budget(rng, items) for _ in range(rng.randint(0, 2))),
        exclusives=tuple(_exclusive(rng, count) for _ in range(_some(rng) * ties)),
        separations=tuple(_separation(rng, count, nodes) for _ in range(_some(rng) * ties)),
        attractions=tuple(_attraction(rng, count, nodes) for _ in range(rng.choice((0, 0, 1, 2)) * ties)),
        spreads=tuple(_spread(rng, count, nodes) for _ in range(_some(rng) * ties)),
        max_disruptions=rng.choice((None, None, 1, 2, 3)),
    )


def _some(rng: random.Random) -> int:
    """Return how many constraints of a kind there are: mostly none, so that they meet in all combinations."""
    return rng.choice((0, 0, 1))


def _site(rng: random.Random, number: int) -> Site:
    fixed = rng.choice((0, 0, 0, 2))
    shrunken = rng.random() < 0.05
    room = (rng.randint(-1, 4) if shrunken else _SIZE - fixed, _SIZE - fixed)
    return Site(name=f"n{number}", room=room, allocatable=(_SIZE, _SIZE), accepts=rng.random() > 0.05)


def _items(rng: random.Random, *, nodes: int, tiers: int, count: int) -> tuple[Item, ...]:
    free = [[_SIZE, _SIZE] for _ in range(nodes)]
    items = []
    for number in range(count):
        requests = (rng.randint(1, 7), rng.randint(1, 7))
        node = _home(rng, free, requests) if number else None
        if node is not None:
            free[node] = [left - amount for left, amount in zip(free[node], requests, strict=True)]
        items.append(
            Item(
                key=f"pod-{number}",
                requests=requests,
                tier=rng.randrange(tiers),
                eligible=rng.choice((0, 0, 0, 1)),
                node=node,
                owner=f"owner-{rng.randrange(3)}",
                weight=rng.choice((1, 1, 1, 2)),
                must_leave=node is not None and rng.random() < 0.1,
                keep_first=float(number),
            )
        )
    return tuple(items)


def _home(rng: random.Random, free: list[list[int]], requests: tuple[int, int]) -> int | None:
    """Return a node with room for a pod, now and then any node or none."""
    if rng.random() < 0.05:
        return rng.randrange(len(free))
    fitting = [node for node, left in enumerate(free) if left[0] >= requests[0] and left[1] >= requests[1]]
    return rng.choice(fitting) if fitting and rng.random() < 0.9 else None


def _members(rng: random.Random, count: int, *, least: int = 1) -> tuple[int, ...]:
    return tuple(sorted(rng.sample(range(count), rng.randint(least, min(3, count)))))


def _domains(rng: random.Random, nodes: int) -> Domains:
    if rng.random() < 0.5:
        return tuple(range(nodes))
    return tuple(rng.choice((0, 0, 1, 1, -1)) for _ in range(nodes))


def _budget(rng: random.Random, items: tuple[Item, ...]) -> Budget:
    return Budget(name="budget", members=_members(rng, len(items)), allowed=rng.choice((-1, 0, 1, 1, 2)))


def _exclusive(rng: random.Random, count: int) -> Exclusive:
    return Exclusive(name="port", members=_members(rng, count, least=2))


def _separation(rng: random.Random, count: int, nodes: int) -> Separation:
    carriers = _members(rng, count)
    others = rng.choice((carriers, _members(rng, count)))
    return Separation(name="apart", carriers=carriers, others=others, domains=_domains(rng, nodes))


def _attraction(rng: random.Random, count: int, nodes: int) -> Attraction:
    carriers = _members(rng, count)
    return Attraction(
        name="near",
        carriers=carriers,
        matching=rng.choice((carriers, _members(rng, count, least=0), tuple(range(count)))),
        domains=_domains(rng, nodes),
        fixed=rng.choice(((), (), (0,))),
        first_exempt=rng.random() < 0.5,
    )


def _spread(rng: random.Random, count: int, nodes: int) -> Spread:
    domains = _domains(rng, nodes)
    real = tuple(sorted(set(domains) - {-1}))
    carriers = _members(rng, count)
    return Spread(
        name="even",
        carriers=carriers,
        counted=rng.choice((carriers, tuple(sorted({*carriers, *_members(rng, count)})))),
        domains=domains,
        least_over=real,
        max_skew=rng.randint(1, 2),
        min_domains=rng.choice((1, 1, 1, 3)),
        fixed=tuple((domain, 1) for domain in real if rng.random() < 0.3),
    )
