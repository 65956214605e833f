"""Rooms as rows: exact where asked for, rounded to the safe side where not, and never too tight for today."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from descheduler.optimiser.classes import classify
from descheduler.optimiser.model.assembling import Model
from descheduler.optimiser.model.frame import Cast, whole
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.tables import tabulate
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site

GIB = 2**30


def rows(problem: Problem, *, exact: bool) -> tuple[list[tuple[list[int], int]], bool]:
    """Return coefficients and limit of every capacity row, and whether any was rounded."""
    tables = tabulate(problem)
    cast = Cast(problem, tables, classify(problem, tables))
    model = Model(whole(cast, tables.origin), evict_for_count=False, exact=exact)
    found = [
        (list(row.linear.coeffs), row.linear.domain[1])
        for row in model.draft.model.proto.constraints
        if len(row.linear.coeffs) and row.linear.domain[0] == -(2**60) and min(row.linear.coeffs) > 0
    ]
    return found, model.rounded


def memory(*requests: int, room: int = 64 * GIB, home: int | None = None) -> Problem:
    """Return a problem of one node in which only memory is scarce."""
    items = [make_item(str(number), requests=(1, amount, 1), node=home) for number, amount in enumerate(requests)]
    return make_problem(items, [make_site(room=(1000, room, 110))])


def test_common_units_are_taken_out_exactly() -> None:
    found, rounded = rows(memory(40 * GIB, 32 * GIB), exact=False)

    assert found == [([4, 5], 8)]
    assert not rounded


def test_odd_bytes_are_rounded_up_and_room_down() -> None:
    (row,), rounded = rows(memory(40 * GIB + 1, 32 * GIB + 1), exact=False)

    assert rounded
    unit = 64 * GIB // 1_000_000
    assert sorted(row[0]) == [-(-(32 * GIB + 1) // unit), -(-(40 * GIB + 1) // unit)]
    assert row[1] == 64 * GIB // unit


def test_odd_bytes_stay_where_asked_for() -> None:
    (row,), rounded = rows(memory(40 * GIB + 1, 32 * GIB + 1), exact=True)

    assert not rounded
    assert sorted(row[0]) == [32 * GIB + 1, 40 * GIB + 1]


@given(st.lists(st.integers(GIB, 9 * GIB), min_size=2, max_size=6))
def test_today_always_fits(requests: list[int]) -> None:
    problem = memory(*requests, room=sum(requests), home=0)
    tables = tabulate(problem)
    cast = Cast(problem, tables, classify(problem, tables))
    model = Model(whole(cast, tables.origin), evict_for_count=False)
    values = model.values(tables.origin)

    for row in model.draft.model.proto.constraints:
        if len(row.linear.vars):
            total = int(np.dot(list(row.linear.coeffs), [values[variable] for variable in row.linear.vars]))
            assert row.linear.domain[0] <= total <= row.linear.domain[1]
