"""A spread lets a workload be placed pod by pod: whoever comes next is told in which domains there is one too many."""

from collections import Counter

import pytest

from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.problem import Spread
from descheduler.optimiser.tables import tabulate
from descheduler.optimiser.ties.opening import open_ties
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

NODES, PODS = 6, 12
ZONES, HOSTS = tuple(node % 3 for node in range(NODES)), tuple(range(NODES))


@pytest.mark.parametrize("domains", [ZONES, HOSTS], ids=["zones", "hosts"])
def test_a_workload_is_placed_whole(domains: tuple[int, ...]) -> None:
    # Each node is fuller than the next one, so that the best fit by itself would fill one after the other.
    sites = [make_site(f"n{node}", room=(2000 + 10 * node, 2000, 40)) for node in range(NODES)]
    members = tuple(range(PODS))
    even = Spread(
        name="even",
        carriers=members,
        counted=members,
        domains=domains,
        least_over=tuple(sorted(set(domains))),
        max_skew=1,
    )
    problem = make_problem([make_item(f"p{pod}") for pod in members], sites, spreads=(even,))
    tables = tabulate(problem)
    state = State(tables, open_ties(problem, tables), None)

    assert all(state.settle(pod) for pod in members)

    held = Counter(domains[node] for node in state.where.tolist())
    assert set(held.values()) == {PODS // len(set(domains))}
