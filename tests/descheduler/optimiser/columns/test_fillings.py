"""The best contents of nodes, against all contents."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from descheduler.optimiser.columns.fillings import Asked, Effort, Fillings, fillings
from descheduler.optimiser.columns.loads import Floats, Loads
from descheduler.optimiser.columns.multipliers import multipliers
from descheduler.optimiser.problem import Problem
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.columns.frames import loads_of
from tests.descheduler.optimiser.strategies import problems

ALL = Effort(100_000)
PRICES = st.lists(st.floats(0, 4, allow_subnormal=False), min_size=6, max_size=6)


def every_content(loads: Loads, node: int, prices: Floats) -> dict[tuple[int, ...], float]:
    """Return all contents of a node by counts of kinds, and what each is worth."""
    share = np.zeros((len(loads.size), loads.sizes.shape[1]), dtype=np.int64)
    share[loads.kind] = loads.sizes
    counts = np.indices(loads.most[node] + 1).reshape(len(loads.size), -1).T
    counts = counts[(counts @ share <= loads.room[node]).all(axis=1)]
    worth = counts @ prices + np.minimum(counts, loads.own[node]) @ loads.weight
    return dict(zip(map(tuple, counts.tolist()), worth.tolist(), strict=True))


def ask(loads: Loads, prices: Floats, floor: Floats, effort: Effort = ALL, *, over: bool = False) -> Fillings:
    """Ask at the best multipliers."""
    values = loads.values(prices)
    worth = multipliers(loads, values, np.zeros_like(loads.left))
    return fillings(loads, Asked(values=values, worth=worth, floor=floor), effort, over=lambda: over)


def usable(problem: Problem) -> Loads | None:
    """Return the loads of a problem with anything to load."""
    if not problem.items or not problem.sites:
        return None
    loads = loads_of(problem)
    return loads if len(loads.kind) else None


@given(problem=problems(items=5, ties=False), prices=PRICES, below=st.floats(0, 2))
def test_everything_within_the_gap_is_found_and_nothing_else(
    problem: Problem, prices: list[float], below: float
) -> None:
    loads = usable(problem)
    if loads is None:
        return
    paid = np.array(prices)[np.arange(len(loads.size)) % len(prices)]
    expected = [every_content(loads, node, paid) for node in range(loads.nodes)]
    best = np.array([max(contents.values()) for contents in expected])
    found = ask(loads, paid, best - below)

    assert found.complete.all()
    np.testing.assert_allclose(found.bound, best, atol=1e-5)
    got = [dict[tuple[int, ...], float]() for _ in expected]
    for node, value, counts in zip(found.node, found.value, found.counts.tolist(), strict=True):
        assert tuple(counts) not in got[node]
        got[node][tuple(counts)] = value
    for node, contents in enumerate(expected):
        assert got[node].keys() <= contents.keys()
        wanted = {counts for counts, worth in contents.items() if worth >= best[node] - below + 1e-5}
        assert wanted <= got[node].keys()
        assert all(abs(value - contents[counts]) < 1e-6 for counts, value in got[node].items())


@given(problem=problems(items=5, ties=False), prices=PRICES, each=st.integers(1, 3), narrow=st.floats(0.01, 1))
def test_a_bound_stays_one_whatever_is_dropped(problem: Problem, prices: list[float], each: int, narrow: float) -> None:
    loads = usable(problem)
    if loads is None:
        return
    paid = np.array(prices)[np.arange(len(loads.size)) % len(prices)]
    best = [max(every_content(loads, node, paid).values()) for node in range(loads.nodes)]
    for over in (False, True):
        found = ask(loads, paid, np.full(loads.nodes, -1.0), Effort(each, narrow), over=over)

        assert (found.bound >= np.array(best) - 1e-6).all()


def test_over_at_once_gives_no_content_and_says_so() -> None:
    loads = loads_of(make_problem([make_item("a", requests=(600, 600, 1)), make_item("b", requests=(700, 700, 1))]))
    found = ask(loads, np.array([1.0, 1.0]), np.zeros(2), over=True)

    assert not len(found.node)
    assert not found.complete.any()
