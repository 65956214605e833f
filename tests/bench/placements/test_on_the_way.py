"""Plans on the way to the last one."""

from dataclasses import replace

from bench.placements.on_the_way import cheapest_with
from bench.placements.running import Instance, Outcome, answer, solver
from descheduler.optimiser.solution import Options, Point
from tests.descheduler.optimiser.builders import make_item, make_problem

PROBLEM = make_problem([make_item("runs", node=0), *(make_item(f"waits-{number}") for number in range(3))])


def outcome(*path: tuple[int, int]) -> Outcome:
    """Return an outcome with such a path: pods placed and disruptions."""
    instance = Instance(name="made", seed=1, problem=PROBLEM)
    found = answer(instance, solver("default"), Options(time_limit=1.0))
    points = [Point(at=0.1 * step, placed=(placed,), disruptions=cost) for step, (placed, cost) in enumerate(path)]
    return replace(found, path=tuple(points))


def test_the_cheapest_with_enough_pods_counts_and_not_the_last() -> None:
    found = cheapest_with([outcome((2, 0), (3, 3), (3, 1), (4, 7)), outcome((4, 2))], [2, 1])

    assert found is not None
    assert (found.gained, found.disruptions, found.each) == (2 + 3, 1 + 2, 3 / 5)
    assert str(found) == "5 pods for 0.6 each"


def test_where_one_never_had_enough_there_is_none() -> None:
    assert cheapest_with([outcome((4, 2)), outcome((2, 0))], [2, 2]) is None


def test_an_invalid_plan_counts_for_nothing() -> None:
    assert cheapest_with([replace(outcome((4, 2)), violations=("over room",))], [1]) is None
