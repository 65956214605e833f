"""Classes: what keeps two pods apart, and what does not."""

from typing import Any

import numpy as np
import pytest

from descheduler.optimiser.classes import classify
from descheduler.optimiser.problem import Budget, Exclusive, Separation
from descheduler.optimiser.tables import tabulate
from tests.descheduler.optimiser.builders import make_item, make_problem


def count(second: dict[str, Any], **changes: Any) -> int:
    """Return how many classes two pods make, of which the second differs so."""
    eligibility = ((0, 1), (0,), (0, 1))
    problem = make_problem(
        [make_item("a", node=0), make_item("b", **({"node": 1} | second))], eligibility=eligibility, **changes
    )
    return len(classify(problem, tabulate(problem)))


@pytest.mark.parametrize(
    "second",
    [{"requests": (1, 100, 1)}, {"tier": 1}, {"eligible": 1}, {"weight": 2}, {"must_leave": True}],
    ids=str,
)
def test_what_the_model_tells_apart_makes_a_class(second: dict[str, Any]) -> None:
    assert count(second) == 2


@pytest.mark.parametrize("second", [{"node": None}, {"owner": "other"}, {"keep_first": 3.0}, {"eligible": 2}], ids=str)
def test_what_it_cannot_tell_apart_makes_none(second: dict[str, Any]) -> None:
    assert count(second) == 1


@pytest.mark.parametrize(("allowed", "classes"), [(0, 2), (1, 1)])
def test_budget_splits_only_where_it_can_bind(allowed: int, classes: int) -> None:
    assert count({}, budgets=(Budget(name="pdb", members=(0,), allowed=allowed),)) == classes


def test_port_of_one_pod_binds_nobody() -> None:
    assert count({}, exclusives=(Exclusive(name="80", members=(0,)),)) == 1


def test_roles_in_a_constraint_split() -> None:
    apart = Separation(name="apart", carriers=(0,), others=(1,), domains=(0, 1))

    assert count({}, separations=(apart,)) == 2


def test_members_are_the_pods_of_a_class() -> None:
    problem = make_problem([make_item("a"), make_item("b", tier=1), make_item("c")])
    classes = classify(problem, tabulate(problem))

    assert [sorted(classes.members(number).tolist()) for number in classes.of[[0, 1]]] == [[0, 2], [1]]
    assert classes.size[classes.of].tolist() == [2, 1, 2]
    assert not np.any(classes.run)
