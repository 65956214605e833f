"""Thousands of constraints, as a large cluster has (some for each workload): each costs what its own pods do."""

import threading
import tracemalloc

import numpy as np
import pytest

from descheduler.optimiser.classes import classify
from descheduler.optimiser.model.assembling import Model
from descheduler.optimiser.model.frame import Cast, around
from descheduler.optimiser.opening import in_process
from descheduler.optimiser.problem import Attraction, Budget, Exclusive, Problem, Separation, Spread
from descheduler.optimiser.solution import Options, Proof
from descheduler.optimiser.tables import tabulate
from descheduler.optimiser.ties.opening import open_ties
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

WORKLOADS = 1000
NODES = 300
THREES = [(3 * number, 3 * number + 1, 3 * number + 2) for number in range(WORKLOADS)]
ZONES = tuple(node % 3 for node in range(NODES))
HOSTS = tuple(range(NODES))


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
    "separations by host": {
        "separations": tuple(Separation(name="s", carriers=three, others=three, domains=HOSTS) for three in THREES)
    },
    "attractions": {
        "attractions": tuple(
            Attraction(name="a", carriers=three[:1], matching=three[1:], domains=ZONES) for three in THREES
        )
    },
    "spreads": {
        "spreads": tuple(
            Spread(name="t", carriers=three, counted=three, domains=ZONES, least_over=(0, 1, 2), max_skew=3)
            for three in THREES
        )
    },
    "spreads by host": {
        "spreads": tuple(
            Spread(name="t", carriers=three, counted=three, domains=HOSTS, least_over=HOSTS, max_skew=1)
            for three in THREES
        )
    },
}


@pytest.mark.parametrize("ties", TIES.values(), ids=TIES.keys())
def test_a_tie_keeps_nothing_for_each_pod_or_node(ties: dict[str, object]) -> None:
    problem = crowd(**ties)
    tables = tabulate(problem)

    tracemalloc.start()
    made = open_ties(problem, tables)
    kept, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(made) == 3 * WORKLOADS
    assert kept < 2_500_000  # a number for each of 300 nodes in each of 1,000 ties takes as much by itself


def test_a_budget_for_each_workload_leaves_time_to_solve() -> None:
    problem = crowd(**TIES["budgets"])

    solution = in_process("bayplan").solve(problem, Options(time_limit=20.0), threading.Event())

    assert solution.proof is Proof.IMPROVED_PROVEN
    assert solution.vector["U[0]"] == 0


def test_a_model_of_a_few_nodes_has_no_rows_of_others() -> None:
    problem = crowd(**TIES["separations by host"], **TIES["budgets"], **TIES["spreads"])
    tables = tabulate(problem)
    cast = Cast(problem, tables, classify(problem, tables))
    frame = around(cast, tables.origin, np.arange(4), np.arange(3 * WORKLOADS, 3 * WORKLOADS + 5))

    model = Model(frame, evict_for_count=False)

    assert len(frame.pods) == 45
    assert len(model.draft.model.proto.constraints) < 500  # one for each constraint there is would be 3,000


def test_without_time_left_no_further_stage_is_begun() -> None:
    problem = crowd(**TIES["separations by host"], **TIES["budgets"])

    solution = in_process("bayplan").solve(problem, Options(time_limit=0.001), threading.Event())

    assert (solution.counts, solution.path, solution.proof) == ({}, (), Proof.NOTHING_FOUND)
