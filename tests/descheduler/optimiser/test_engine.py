"""A solve and its statuses, on models of a few variables."""

import threading
import time

import pytest

from descheduler.optimiser.engine import Effort, Engine, Outcome, Status
from descheduler.optimiser.model.draft import Draft, Sum

QUICK = Effort(limit=5.0, workers=1, seed=1, deterministic=True)


def solve(draft: Draft, effort: Effort = QUICK) -> Outcome:
    """Solve with nobody who stops it."""
    return Engine(threading.Event()).solve(draft.model, effort)


def pair(least: int) -> Draft:
    """Return two variables up to 3 whose sum is at least so much, and is to be small."""
    draft = Draft()
    both = Sum(list(draft.variables([3, 3])), [1, 1])
    draft.at_most(Sum().plus(both, -1), -least)
    draft.minimise(both.plus(Sum(constant=10)))
    return draft


def test_optimal_has_values_and_its_bound() -> None:
    outcome = solve(pair(4))

    assert outcome.status is Status.OPTIMAL
    assert outcome.values is not None
    assert sum(outcome.values) == 4
    assert outcome.bound == 14.0


def cover() -> tuple[Draft, Sum]:
    """Return 60 variables of which at least one of every three that are 7 and 11 apart is set, and their sum."""
    draft = Draft()
    chosen = list(draft.variables([1] * 60))
    for first in range(60):
        draft.any_of([chosen[first], chosen[(first + 7) % 60], chosen[(first + 11) % 60]])
    every = Sum(chosen, [1] * 60)
    draft.minimise(every)
    return draft, every


def test_solutions_on_the_way_are_told_from_the_hint_to_the_best() -> None:
    (draft, every), told = cover(), list[int]()
    draft.hint([1] * 60)
    engine = Engine(threading.Event())
    outcome = engine.solve(draft.model, QUICK, lambda values: told.append(every.value(values)))

    assert outcome.values is not None
    assert len(told) > 1
    assert told[-1] == every.value(outcome.values)
    assert told == sorted(set(told), reverse=True)


def test_infeasible_has_none() -> None:
    outcome = solve(pair(7))

    assert (outcome.status, outcome.values) == (Status.INFEASIBLE, None)


def test_invalid_is_told() -> None:
    draft = Draft()
    draft.row([5], [1], least=0, most=1)  # there is no such variable

    assert solve(draft).status is Status.MODEL_INVALID


def test_stopped_before_it_begins() -> None:
    stop = threading.Event()
    stop.set()

    assert Engine(stop).solve(pair(4).model, QUICK).status is Status.UNKNOWN


def hard() -> Draft:
    """Return a model that takes minutes: pigeons, one more than holes, any pair of which may share none."""
    draft = Draft()
    pigeons, holes = 14, 13
    at = [list(draft.variables([1] * holes)) for _ in range(pigeons)]
    for row in at:
        draft.one_of(row)
    for hole in range(holes):
        for first in range(pigeons):
            for second in range(first):
                draft.row([at[first][hole], at[second][hole]], [3, 5], least=0, most=7)
    return draft


@pytest.mark.parametrize("effort", [Effort(limit=0.05, workers=1, seed=1, deterministic=True)], ids=["deterministic"])
def test_limit_ends_a_search(effort: Effort) -> None:
    assert solve(hard(), effort).status in {Status.UNKNOWN, Status.INFEASIBLE}


def test_stop_ends_a_search() -> None:
    stop = threading.Event()
    engine = Engine(stop)
    ended: list[float] = []

    def work() -> None:
        engine.solve(hard().model, Effort(limit=25.0, workers=1, seed=1, deterministic=False))
        ended.append(time.monotonic())

    with engine.watched():
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.3)
        began = time.monotonic()
        stop.set()
        thread.join()

    assert ended[0] - began < 5.0  # far below its limit, also on a busy machine
