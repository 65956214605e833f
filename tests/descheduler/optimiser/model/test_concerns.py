"""A model of some nodes has rows for the constraints of its pods only, and they allow what the checker allows."""

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from descheduler.optimiser.classes import classify
from descheduler.optimiser.model.assembling import Model
from descheduler.optimiser.model.concerns import ByMember
from descheduler.optimiser.model.frame import Cast, around, whole
from descheduler.optimiser.problem import Attraction, Budget, Exclusive, Problem, Separation, Spread
from descheduler.optimiser.solution import Assignment, Options
from descheduler.optimiser.tables import NOWHERE, Ints, tabulate
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.oracle import allowed_plans
from tests.descheduler.optimiser.scattered import scattered_problems

HOSTS = (0, 1, 2)
OTHERS = (2, 3)
KINDS: dict[str, Any] = {
    "budgets": Budget(name="b", members=OTHERS, allowed=0),
    "exclusives": Exclusive(name="e", members=OTHERS),
    "separations": Separation(name="s", carriers=OTHERS, others=OTHERS, domains=HOSTS),
    "attractions": Attraction(name="a", carriers=OTHERS[:1], matching=OTHERS[1:], domains=HOSTS),
    "spreads": Spread(name="t", carriers=OTHERS, counted=OTHERS, domains=HOSTS, least_over=HOSTS, max_skew=1),
}


def cast(problem: Problem) -> Cast:
    tables = tabulate(problem)
    return Cast(problem, tables, classify(problem, tables))


def places(assignment: Assignment) -> Ints:
    return np.array([NOWHERE if place is None else place for place in assignment], dtype=np.int64)


def breaches(model: Model, where: Ints) -> list[str]:
    """Return the rows that a plan breaks."""
    values = model.values(where)
    return [str(row) for row in model.draft.model.proto.constraints if not _kept(row, values)]


def _kept(row: Any, values: list[int]) -> bool:
    if row.has_exactly_one():
        return bool(sum(values[literal] for literal in row.exactly_one.literals) == 1)
    total = sum(values[var] * by for var, by in zip(row.linear.vars, row.linear.coeffs, strict=True))
    least, most = row.linear.domain
    return bool(least <= total <= most)


def test_constraints_are_found_by_their_members_in_their_order() -> None:
    found = ByMember([(3, 1), (), (2, 2), (1, 0)], lambda members: members)

    assert found.of([0, 1]) == [(3, 1), (1, 0)]
    assert found.of([2, 5]) == [(2, 2)]
    assert found.of([]) == []


@pytest.mark.parametrize("kind", KINDS)
def test_constraints_of_others_make_no_row(kind: str) -> None:
    items = [make_item("a", node=0), make_item("b"), make_item("c", node=1), make_item("d", node=2)]
    sites = [make_site(f"n{node}") for node in HOSTS]

    def rows(sites_of_frame: list[int], **ties: Any) -> int:
        made = cast(make_problem(items, sites, **ties))
        frame = around(made, made.tables.origin, np.array(sites_of_frame), np.array([1]))
        return len(Model(frame, evict_for_count=False).draft.model.proto.constraints)

    assert rows([0], **{kind: (KINDS[kind],)}) == rows([0])
    assert rows([1, 2], **{kind: (KINDS[kind],)}) > rows([1, 2])


def test_a_port_that_one_pod_takes_keeps_its_likes_together() -> None:
    problem = make_problem([make_item("a"), make_item("b")], exclusives=(Exclusive(name="port", members=(0,)),))
    made = cast(problem)

    assert breaches(Model(whole(made, made.tables.origin), evict_for_count=False), places((0, 0))) == []


@settings(max_examples=60)
@given(scattered_problems(), st.data())
def test_rows_allow_what_is_allowed(problem: Problem, data: st.DataObject) -> None:
    problem = replace(problem, attractions=())  # in a circle of them the rows are stricter on purpose
    made = cast(problem)
    model = Model(whole(made, made.tables.origin), evict_for_count=False, exact=True)
    start = places(data.draw(st.sampled_from(list(islice(allowed_plans(problem, Options()), 20)))))
    sites = data.draw(st.sets(st.sampled_from(range(len(problem.sites))), min_size=1).map(sorted))
    few = Model(around(made, start, np.array(sites), np.flatnonzero(start < 0)), evict_for_count=False, exact=True)

    assert breaches(model, start) == []
    assert breaches(few, start) == []
