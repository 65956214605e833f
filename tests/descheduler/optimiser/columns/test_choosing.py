"""The best choice among contents, and the plan that it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from descheduler.optimiser.columns.choosing import Choice, _without_surplus
from descheduler.optimiser.columns.fillings import Fillings
from descheduler.optimiser.columns.loads import load
from descheduler.optimiser.engine import Status
from descheduler.optimiser.tables import Ints
from tests.descheduler.optimiser.builders import make_item, make_problem
from tests.descheduler.optimiser.columns.frames import allowance_of, frame_of, search_of

COUNTS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=5)


def contents(*pairs: tuple[int, list[int]]) -> Fillings:
    """Return contents of nodes; nobody asks here what they are worth."""
    nodes = np.array([node for node, _ in pairs])
    unknown = np.zeros(len(pairs))
    return Fillings(
        node=nodes,
        value=unknown,
        counts=np.array([counts for _, counts in pairs]),
        bound=unknown,
        complete=np.ones(len(pairs), dtype=np.bool_),
    )


PROBLEM = make_problem([make_item("a", node=0, requests=(600, 600, 1)), make_item("b", requests=(500, 500, 1))])


@pytest.mark.parametrize(
    ("found", "unplaced", "expected"),
    [
        (contents((0, [0, 1]), (0, [1, 0]), (1, [1, 0]), (1, [0, 0])), (0,), [0, 1]),
        (contents((0, [0, 1]), (0, [1, 0]), (1, [0, 1])), (0,), [1, 0]),
        (contents((0, [0, 1]), (1, [0, 0])), (1,), [0, -1]),
        (contents((0, [0, 1]), (1, [0, 0])), (0,), None),
    ],
    ids=["cheapest", "only one", "left out", "none"],
)
def test_the_cheapest_choice_that_gives_everybody_a_place(
    found: Fillings, unplaced: tuple[int, ...], expected: list[int] | None
) -> None:
    frame = frame_of(PROBLEM)
    choice = Choice(frame, load(frame), allowance_of(frame, unplaced), found)
    search = search_of(frame)
    outcome = search.attempt(choice, [(choice.cost, 5)], choice.cost, most=1.0)

    if expected is None:
        assert outcome.status is Status.INFEASIBLE
    else:
        assert outcome.values is not None
        assert choice.plan(outcome.values).tolist() == expected


@given(pairs=COUNTS, size=st.integers(0, 12))
def test_surplus_is_taken_off_those_that_came_first(pairs: list[tuple[int, int]], size: int) -> None:
    counts, own = np.array([first for first, _ in pairs]), np.array([second for _, second in pairs])
    left: Ints = _without_surplus(counts, own, size)
    stayers = np.minimum(counts, own).sum()

    assert left.sum() == min(counts.sum(), size)
    assert ((left >= 0) & (left <= counts)).all()
    assert np.minimum(left, own).sum() == min(stayers, size)
