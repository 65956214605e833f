"""Ways are gone only where everybody stands as when they were found, and there is room."""

import numpy as np

from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.heuristic.ways import Steps, Ways, join, learned, weigh
from descheduler.optimiser.problem import Exclusive, Problem
from descheduler.optimiser.tables import NOWHERE
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.heuristic.opened import opened, places

RANDOM = np.random.default_rng(1)


def pair() -> Problem:
    """Return a node with two pods of 400, an empty one, and a pod of 500 that waits."""
    running = [make_item(key, requests=(400, 1, 1), node=0, weight=weight) for key, weight in (("a", 1), ("b", 3))]
    return make_problem([*running, make_item("waits", requests=(500, 1, 1))])


def way(state: State, pod: int, node: int, *moves: tuple[int, int]) -> Ways:
    who, after = (np.array([[move[at] for move in moves]], dtype=np.int64) for at in (0, 1))
    return weigh(state.tables, state.where, pod, Steps(np.array([node]), who, after))


def test_the_cheaper_of_two_is_drawn() -> None:
    state = opened(pair())
    ways = join(way(state, 2, 0, (1, 1)), way(state, 2, 0, (0, 1)))

    assert ways.cost.tolist() == [1, 3]
    assert ways.draw(state, 3, RANDOM) == 0
    assert ways.draw(state, 0, RANDOM) is None


def test_a_way_is_gone() -> None:
    state = opened(pair())

    assert way(state, 2, 0, (0, 1)).go(state, 2, 0)
    assert places(state) == (1, 0, 0)


def test_no_way_where_somebody_has_gone_or_room_is_taken() -> None:
    state = opened(pair())
    ways = way(state, 2, 0, (0, 1))
    state.move(0, NOWHERE)

    assert ways.draw(state, 9, RANDOM) is None

    state = opened(pair())
    state.move(1, 1)
    state.free[1] -= 300

    assert ways.draw(state, 9, RANDOM) is None


def test_a_tie_that_would_break_undoes_it() -> None:
    problem = make_problem(pair().items, exclusives=(Exclusive(name="port", members=(1, 2)),))
    state = opened(problem)

    assert not way(state, 2, 0, (0, 1)).go(state, 2, 0)
    assert places(state) == (0, 0, None)


def test_who_comes_home_pays_back() -> None:
    state = opened(pair(), (1, 0, None))

    assert way(state, 2, 1, (0, 0)).cost.tolist() == [-1]


def test_room_is_what_is_taken_in_all() -> None:
    state = opened(pair())
    ways = way(state, 2, 0, (0, 1))

    asked = dict(zip(ways.touched[0].tolist(), ways.asked[0, :, 0].tolist(), strict=True))
    assert asked == {0: 100, 1: 400}


def test_what_a_search_did_is_learned() -> None:
    state = opened(pair())
    where, mark = state.where.copy(), state.mark()
    state.move(0, 1)
    state.move(2, 0)
    changed = state.changed(mark)
    state.undo(mark)

    ways = learned(state.tables, where, 2, changed)

    assert ways.draw(state, 1, RANDOM) == 0
    assert ways.go(state, 2, 0)
    assert places(state) == (1, 0, 0)


def test_ways_of_different_length_are_joined() -> None:
    state = opened(pair())
    ways = join(way(state, 2, 1), way(state, 2, 0, (0, 1)))

    assert ways.who.tolist() == [[NOWHERE], [0]]
    assert ways.draw(state, 1, RANDOM) == 0
    state.move(2, 1)
    state.move(2, NOWHERE)
    assert ways.go(state, 2, 1)
    assert places(state) == (1, 0, 0)
