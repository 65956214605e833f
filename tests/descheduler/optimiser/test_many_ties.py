"""Thousands of constraints, as a large cluster has (a budget for each workload): none keeps a copy of all pods."""

import threading
import tracemalloc

import pytest

from descheduler.optimiser.opening import in_process
from descheduler.optimiser.problem import Attraction, Budget, Exclusive, Problem, Separation, Spread
from descheduler.optimiser.solution import Options, Proof
from descheduler.optimiser.tables import tabulate
from descheduler.optimiser.ties.opening import open_ties
from descheduler.optimiser.ties.regions import Once, Regions
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

WORKLOADS = 1000
NODES = 300
THREES = [(3 * number, 3 * number + 1, 3 * number + 2) for number in range(WORKLOADS)]
ZONES = tuple(node % 3 for node in range(NODES))


def crowd(**ties: object) -> Problem:
    """Return three pods a workload on ten places a node, and some that wait."""
    running = [make_item(f"p{n}", node=n % NODES, requests=(90, 90, 1)) for n in range(3 * WORKLOADS)]
    waiting = [make_item(f"q{n}", requests=(300, 300, 1)) for n in range(5)]
    sites = [make_site(f"n{n}", room=(1200, 1200, 110)) for n in range(NODES)]
    return make_problem([*running, *waiting], sites, **ties)


TIES: dict[str, dict[str, object]] = {
    "budgets": {"budgets": tuple(Budget(name="b", members=three, allowed=1) for three in THREES)},
    "exclusives": {"exclusives": tuple(Exclusive(name="e", members=three) for three in THREES)},
    "separations": {
        "separations": tuple(Separation(name="s", carriers=three, others=three, domains=ZONES) for three in THREES)
    },
    "attractions": {
        "attractions": tuple(
            Attraction(name="a", carriers=three[:1], matching=three[1:], domains=ZONES) for three in THREES[:300]
        )
    },
    "spreads": {
        "spreads": tuple(
            Spread(name="t", carriers=three, counted=three, domains=ZONES, least_over=(0, 1, 2), max_skew=3)
            for three in THREES
        )
    },
}


@pytest.mark.parametrize("ties", TIES.values(), ids=TIES.keys())
def test_a_tie_keeps_no_copy_of_all_pods(ties: dict[str, object]) -> None:
    problem = crowd(**ties)
    tables = tabulate(problem)

    tracemalloc.start()
    made = open_ties(problem, tables)
    kept, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(made) >= 900
    assert kept < 16_000_000  # a copy of 3,000 pods in each of 1,000 ties takes 24 MB


def test_a_budget_for_each_workload_leaves_time_to_solve() -> None:
    problem = crowd(**TIES["budgets"])

    solution = in_process("bayplan").solve(problem, Options(time_limit=5.0), threading.Event())

    assert solution.proof is Proof.IMPROVED_PROVEN
    assert solution.vector["U[0]"] == 0


def test_ties_of_one_key_share_its_regions() -> None:
    regions = Once(Regions)

    assert regions.of(ZONES) is regions.of(ZONES)
    assert regions.of(ZONES) is regions.of(tuple(node % 3 for node in range(NODES)))
    assert regions.of(ZONES) is not regions.of(ZONES[1:])


def test_without_time_left_no_further_stage_is_begun() -> None:
    hosts = tuple(range(NODES))
    apart = tuple(Separation(name="s", carriers=three, others=three, domains=hosts) for three in THREES)
    problem = crowd(separations=apart, **TIES["budgets"])

    solution = in_process("bayplan").solve(problem, Options(time_limit=0.001), threading.Event())

    assert solution.timings.get("neighbourhoods", 0.0) < solution.timings["heuristic"] / 4
