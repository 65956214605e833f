"""Problems as arrays: exact where they can be, on the safe side where not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from descheduler.optimiser.problem import Problem
from descheduler.optimiser.tables import NOWHERE, covers, shares, tabulate
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.strategies import problems


def test_amounts_are_exact() -> None:
    tables = tabulate(make_problem([make_item(requests=(7, 2**40 + 1, 1), node=0)]))

    assert tables.exact
    assert tables.requests.tolist() == [[7, 1001, 1]]  # more memory than any node has is as good as one unit more


def test_absurd_rooms_are_rounded_to_the_safe_side() -> None:
    site = make_site(room=(2**60 + 1, 10, 10))
    tables = tabulate(make_problem([make_item(requests=(2**59 + 1, 1, 1))], [site]))
    unit = 2**60 // int(tables.room[0, 0])

    assert not tables.exact
    assert tables.room[0, 0] * unit <= 2**60 + 1
    assert tables.requests[0, 0] * (unit + 1) >= 2**59 + 1


def test_node_over_its_room_keeps_what_it_has_and_takes_nobody() -> None:
    problem = make_problem([make_item("a", node=0), make_item("b")], [make_site(room=(50, 50, 10)), make_site("n2")])
    tables = tabulate(problem)

    assert tables.room[0].tolist() == [100, 100, 10]
    assert tables.closed.tolist() == [True, False]
    assert tables.masks[tables.mask_of[1]].tolist() == [False, True]


def test_victim_is_pending_and_its_room_stays_taken() -> None:
    tables = tabulate(make_problem([make_item(node=0, must_leave=True)]))

    assert tables.origin.tolist() == [NOWHERE]
    assert tables.left.tolist() == [0]
    assert tables.room[0].tolist() == [900, 900, 9]
    assert tables.masks[tables.mask_of[0]].tolist() == [False, True]


def test_node_that_does_not_accept_is_closed() -> None:
    tables = tabulate(make_problem([make_item()], [make_site(accepts=False), make_site("n2")]))

    assert tables.masks[tables.mask_of[0]].tolist() == [False, True]


@given(problems())
def test_doing_nothing_fits_the_relaxed_room(problem: Problem) -> None:
    tables = tabulate(problem)
    use = np.zeros_like(tables.room)
    np.add.at(use, tables.origin[tables.running], tables.requests[tables.running])

    assert (use <= tables.room).all()


@pytest.mark.parametrize(("have", "enough"), [((3, 3), True), ((3, 2), False), ((9, 9), True)])
def test_covers_every_resource(have: tuple[int, int], *, enough: bool) -> None:
    assert covers(np.array([have]), np.array([3, 3])).tolist() == [enough]


@given(st.lists(st.tuples(st.integers(0, 2**46), st.integers(0, 2**46)), max_size=8), st.floats(0, 1), st.floats(0, 1))
def test_shares_are_those_of_whole_rows(rows: list[tuple[int, int]], first: float, second: float) -> None:
    amounts, scale = np.array(rows, dtype=np.int64).reshape(-1, 2), np.array([first, second])

    assert shares(amounts, scale).tolist() == (amounts * scale).sum(axis=1).tolist()


def test_what_is_cut_off_a_request_is_cut_off_the_room_too() -> None:
    """Else a second pod would fit into what the first one does not leave."""
    items = [make_item(key, requests=(2**63 - 1, 1, 1)) for key in ("a", "b")]
    tables = tabulate(make_problem(items, [make_site(room=(2**63 - 1, 10, 10))]))

    assert (tables.requests[:, 0] > tables.room[0, 0]).all()
    assert not tables.exact
