"""A plan that is made anew in parts is never worse, always valid, and the same for a seed."""

import dataclasses
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.placements import cases
from descheduler.optimiser import vectors
from descheduler.optimiser.checking import check
from descheduler.optimiser.heuristic import reworking
from descheduler.optimiser.heuristic.filling import fill, preempt
from descheduler.optimiser.heuristic.reworking import rework
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options
from tests.descheduler.optimiser import strategies
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.heuristic.opened import opened, places, rules_of
from tests.descheduler.optimiser.scattered import scattered

HALF, MOST = (500, 1, 1), (700, 1, 1)


@pytest.fixture(params=[0, 200], ids=["components", "parts"])
def large(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make clusters of more nodes than this large ones."""
    monkeypatch.setattr(reworking, "_LARGE", request.param)


def filled(problem: Problem, options: Options) -> Assignment:
    """Return a first plan."""
    state = opened(problem)
    rules = rules_of(problem, state, options)
    fill(state, rules.classes, options, hopeless=rules.hopeless, after=lambda: True)
    preempt(state, options, hopeless=rules.hopeless, over=lambda: False)
    return places(state)


def reworked(problem: Problem, plan: Assignment, options: Options, *, trials: int, seed: int = 1) -> Assignment:
    state = opened(problem, plan)
    asked = iter(range(trials))
    rework(
        state,
        rules_of(problem, state, options, seed=seed),
        over=lambda: next(asked, None) is None,
        better=lambda: None,
    )
    return places(state)


def never(calls: list[str]) -> Callable[[], bool]:
    """Return what is never over, and notes that it was asked."""

    def over() -> bool:
        calls.append("over")
        return False

    return over


@pytest.mark.usefixtures("large")
def test_who_moved_without_need_goes_home() -> None:
    problem = make_problem([make_item("a", node=0, requests=MOST), make_item("b", requests=HALF)])

    assert reworked(problem, (1, 0), Options(), trials=20) == (0, 1)
    assert reworked(problem, (1, 0), Options(), trials=0) == (1, 0)


@pytest.mark.usefixtures("large")
def test_the_best_plan_stays() -> None:
    items = [make_item("a", requests=(400, 1, 1), node=0), make_item("b", requests=(600, 1, 1), node=1)]
    problem = make_problem([*items, make_item("new", requests=MOST)])

    assert reworked(problem, (1, 1, 0), Options(), trials=50) in {(1, 1, 0), (0, 0, 1)}


@pytest.mark.parametrize(("price", "placed"), [(1, True), (0, False)])
def test_one_more_is_placed_for_the_price(price: int, *, placed: bool) -> None:
    items = [make_item("a", requests=(400, 1, 1), node=0), make_item("b", requests=(600, 1, 1), node=1)]
    problem = make_problem([*items, make_item("new", requests=MOST)])

    found = reworked(problem, (0, 1, None), Options(price=price), trials=50)

    assert found in ({(1, 1, 0), (0, 0, 1)} if placed else {(0, 1, None)})


def test_nothing_is_tried_where_nothing_could_be_better() -> None:
    problem = make_problem([make_item("a", node=0)])
    state = opened(problem)
    calls: list[str] = []

    rework(state, rules_of(problem, state), over=never(calls), better=lambda: calls.append("better"))

    assert calls == []


def test_it_ends_after_many_trials_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reworking, "_IDLE", 7)
    items = [make_item("a", requests=(400, 1, 1), node=0), make_item("b", requests=(600, 1, 1), node=1)]
    problem = make_problem([*items, make_item("new", requests=MOST)])
    state = opened(problem, (1, 1, 0))
    calls: list[str] = []

    rework(state, rules_of(problem, state), over=never(calls), better=lambda: calls.append("better"))

    assert calls == ["over"] * 7


@pytest.mark.parametrize(("name", "trials"), [("32x4", 150), ("500x4", 1200)])
def test_crowded_clusters_are_disturbed_less(name: str, trials: int) -> None:
    problem, options = cases.problem(name, 2), Options(price=6)
    plan = filled(problem, options)

    found = reworked(problem, plan, options, trials=trials)

    assert not check(problem, found, options)
    assert vectors.tally(problem, found).placed >= vectors.tally(problem, plan).placed
    assert vectors.disruptions(problem, found) < vectors.disruptions(problem, plan)


@pytest.mark.parametrize(("name", "trials"), [("32x4", 60), ("500x4", 60)])
def test_the_same_seed_gives_the_same_plan(name: str, trials: int) -> None:
    problem, options = cases.problem(name, 3), Options(price=6)
    plan = filled(problem, options)

    first, second, other = (reworked(problem, plan, options, trials=trials, seed=seed) for seed in (1, 1, 2))

    assert first == second
    assert first != other


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("block", range(3))
def test_a_reworked_plan_is_valid_and_no_worse(block: int) -> None:
    better = 0
    for seed in range(100 * block, 100 * (block + 1)):
        problem = scattered(seed, nodes_within=(3, 5), pods_within=(8, 14))
        options = Options(
            price=8, order="frozen" if seed % 2 else "placement-first", evict_for_count=bool(seed % 4 // 2)
        )
        plan = filled(problem, options)

        found = reworked(problem, plan, options, trials=25, seed=seed)

        assert check(problem, found, options) == (), f"seed {seed}"
        assert not vectors.better(problem, plan, found, options), f"seed {seed}"
        better += vectors.better(problem, found, plan, options)
    assert better


@given(data=st.data())
def test_any_valid_plan_stays_valid_and_becomes_no_worse(data: st.DataObject) -> None:
    problem = data.draw(strategies.problems())
    plan = data.draw(strategies.assignments(problem))
    options = dataclasses.replace(data.draw(strategies.options(0.1)), price=data.draw(st.sampled_from((0, 3, None))))
    if check(problem, plan, options):
        plan = filled(problem, options)

    found = reworked(problem, plan, options, trials=10)

    assert check(problem, found, options) == ()
    assert not vectors.better(problem, plan, found, options)
    assert all(place is not None for place, before in zip(found, plan, strict=True) if before is not None)
