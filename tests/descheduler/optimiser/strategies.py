"""Hypothesis strategies for placement problems: tiny ones, often tight, often broken already, all sound.

Sizes are small on purpose: constraints meet, and everything can be enumerated.
"""

from functools import partial

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
from descheduler.optimiser.solution import Assignment, Options


@st.composite
def problems(draw: st.DrawFn, *, sites: int = 3, items: int = 6, tiers: int = 3, ties: bool = True) -> Problem:
    """Problems of up to so many nodes, pods and tiers; without `ties` only room, eligibility and budgets matter."""
    nodes = draw(st.sampled_from((sites, sites, sites, *range(1, sites + 1))))
    levels = draw(st.integers(1, tiers))
    eligibility = tuple(draw(st.lists(_members(nodes, least=0), min_size=1, max_size=2)))
    least = draw(st.sampled_from((max(0, items - 2),) * 3 + (0,)))
    pods = draw(st.lists(_items(nodes, levels, len(eligibility)), min_size=least, max_size=items))
    count = len(pods)
    return Problem(
        resources=("cpu", "memory"),
        sites=tuple(draw(_sites(number)) for number in range(nodes)),
        items=tuple(item(f"pod-{number}") for number, item in enumerate(pods)),
        eligibility=(tuple(range(nodes)), *eligibility[1:]),
        tiers=levels,
        budgets=tuple(draw(st.lists(_budgets(count), max_size=2))),
        exclusives=tuple(draw(st.lists(_exclusives(count), max_size=1))) if ties else (),
        separations=tuple(draw(st.lists(_separations(count, nodes), max_size=1))) if ties else (),
        attractions=tuple(draw(st.lists(_attractions(count, nodes), max_size=2))) if ties else (),
        spreads=tuple(draw(st.lists(_spreads(count, nodes), max_size=1))) if ties else (),
        max_disruptions=draw(st.none() | st.integers(0, 4)),
    )


def assignments(problem: Problem) -> st.SearchStrategy[Assignment]:
    """Any answer to a problem, whether it is allowed or not."""
    places = st.none() | st.integers(0, len(problem.sites) - 1)
    return st.tuples(*(places for _ in problem.items))


def options(deterministic: float) -> st.SearchStrategy[Options]:
    """Every way to compare plans, with CP-SAT's own measure of time so that runs can be repeated."""
    return st.builds(
        Options,
        order=st.sampled_from(("placement-first", "frozen")),
        evict_for_count=st.booleans(),
        price=st.sampled_from((None, 8)),
        deterministic=st.just(deterministic),
        workers=st.just(1),
    )


def _sites(number: int) -> st.SearchStrategy[Site]:
    enough = st.integers(3, 9)
    amounts = st.tuples(enough | enough | st.integers(-1, 2), enough)
    return st.builds(
        lambda room, more, accepts: Site(
            name=f"n{number}", room=room, allocatable=(max(0, room[0]) + more, room[1] + more), accepts=accepts
        ),
        amounts,
        st.integers(0, 2),
        st.sampled_from((True, True, True, False)),
    )


def _items(nodes: int, tiers: int, sets: int) -> st.SearchStrategy["partial[Item]"]:
    return st.builds(
        lambda **fields: partial(_item, fields),
        requests=st.tuples(st.integers(0, 4), st.integers(1, 4)),
        tier=st.integers(0, tiers - 1),
        eligible=st.integers(0, sets - 1),
        node=st.integers(-nodes // 2, nodes - 1).map(lambda node: None if node < 0 else node),
        weight=st.sampled_from((1, 1, 1, 2)),
        must_leave=st.sampled_from((False,) * 7 + (True,)),
        owner=st.sampled_from(("a", "b", "c")),
    )


def _item(fields: dict[str, object], key: str) -> Item:
    return Item(key=key, **fields)  # type: ignore[arg-type]  # drawn by name just above


def _members(count: int, *, least: int = 1) -> st.SearchStrategy[tuple[int, ...]]:
    """Distinct indices in order, none where there are none."""
    if count == 0:
        return st.just(())
    return st.sets(st.integers(0, count - 1), min_size=min(least, count)).map(lambda members: tuple(sorted(members)))


def _domains(nodes: int) -> st.SearchStrategy[Domains]:
    """Each node its own domain, or a few zones; some nodes have none."""
    own = st.just(tuple(range(nodes)))
    return own | st.tuples(*(st.sampled_from((0, 0, 1, -1)) for _ in range(nodes)))


def _budgets(count: int) -> st.SearchStrategy[Budget]:
    return st.builds(Budget, name=st.just("budget"), members=_members(count), allowed=st.integers(-1, 2))


def _exclusives(count: int) -> st.SearchStrategy[Exclusive]:
    return st.builds(Exclusive, name=st.just("port"), members=_members(count))


def _separations(count: int, nodes: int) -> st.SearchStrategy[Separation]:
    members = _members(count)
    same = st.builds(
        lambda group, domains: Separation(name="apart", carriers=group, others=group, domains=domains),
        members,
        _domains(nodes),
    )
    return same | st.builds(
        Separation, name=st.just("apart"), carriers=members, others=members, domains=_domains(nodes)
    )


def _attractions(count: int, nodes: int) -> st.SearchStrategy[Attraction]:
    return st.builds(
        Attraction,
        name=st.just("near"),
        carriers=_members(count),
        matching=_members(count, least=0),
        domains=_domains(nodes),
        fixed=st.sampled_from(((), (), (0,))),
        first_exempt=st.booleans(),
    )


@st.composite
def _spreads(draw: st.DrawFn, count: int, nodes: int) -> Spread:
    domains = draw(_domains(nodes))
    real = sorted(set(domains) - {-1})
    carriers = draw(_members(count))
    return Spread(
        name="even",
        carriers=carriers,
        counted=tuple(sorted({*carriers, *draw(_members(count, least=0))})),
        domains=domains,
        least_over=tuple(real),
        max_skew=draw(st.integers(1, 2)),
        min_domains=draw(st.sampled_from((1, 1, 3))),
        fixed=tuple((domain, 1) for domain in real[:1] if draw(st.booleans())),
    )
