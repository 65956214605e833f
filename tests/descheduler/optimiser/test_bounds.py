"""Bounds: never above what a plan reaches."""

from hypothesis import given, settings

from descheduler.optimiser import vectors
from descheduler.optimiser.bounds import hopeless, least_unplaced, least_without_eviction
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import tabulate
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.oracle import allowed_plans
from tests.descheduler.optimiser.strategies import problems


@settings(max_examples=60)
@given(problems(items=4))
def test_no_plan_is_below_the_bounds(problem: Problem) -> None:
    tables = tabulate(problem)
    lost = hopeless(tables)
    least, without = least_unplaced(tables, lost), least_without_eviction(tables, lost)
    for plan in allowed_plans(problem, Options()):
        counted = vectors.tally(problem, plan)
        for tier in range(problem.tiers):
            assert sum(counted.unplaced[: tier + 1]) >= least[tier]
            if not any(counted.evicted):
                assert sum(counted.unplaced[: tier + 1]) >= without[tier]


def test_smallest_pods_count_first() -> None:
    items = [make_item(str(number), requests=(size, 1, 1)) for number, size in enumerate((900, 900, 300, 300))]
    tables = tabulate(make_problem(items))

    assert least_unplaced(tables, hopeless(tables)) == (1,)


def test_pod_larger_than_every_node_is_hopeless() -> None:
    tables = tabulate(make_problem([make_item("a", requests=(2000, 1, 1)), make_item("b")]))

    assert hopeless(tables).tolist() == [True, False]
    assert least_unplaced(tables, hopeless(tables)) == (1,)


def test_running_pods_take_their_room_where_nobody_is_evicted() -> None:
    items = [
        make_item("a", tier=1, node=0, requests=(1000, 1, 1)),
        make_item("b", tier=1, node=1, requests=(1000, 1, 1)),
        make_item("c"),
    ]
    tables = tabulate(make_problem(items))

    assert least_unplaced(tables, hopeless(tables))[0] == 0
    assert least_without_eviction(tables, hopeless(tables))[0] == 1
