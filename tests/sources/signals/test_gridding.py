"""Values get one of four states, and only fresh ones keep their number."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.signals import Freshness, Grid
from sources.prometheus.series import Series
from sources.signals.gridding import Ages, Table, grid_of, tabulate
from sources.signals.naming import NodeNames, PodNames
from tests.builders import make_node

AT = 1_800_000_000.0
STEP = 15.0
NODES = NodeNames({name: make_node(name) for name in ("n1", "n2", "n3")}, ("node", "instance"))
NOW = np.array([AT])
FRESH, STALE, MISSING, NAN = Freshness.FRESH, Freshness.STALE, Freshness.MISSING, Freshness.NAN


def series(node: str, *values: float, **labels: str) -> Series:
    times = [AT - STEP * back for back in range(len(values) - 1, -1, -1)]
    return Series({"node": node} | labels, times, list(values))


def table(*found: Series, times: Any = NOW) -> Table:
    return tabulate(found, NODES, times)


def states(grid: Grid, name: str) -> list[Freshness]:
    return [Freshness(int(state)) for state in grid.states[grid.row[name]]]


def test_without_an_age_query_values_are_fresh_and_unverified() -> None:
    grid = grid_of(table(series("n1", 0.5)), None)

    assert grid.newest("n1") == 0.5
    assert states(grid, "n1") == [FRESH]
    assert not grid.verified


@pytest.mark.parametrize(
    ("value", "age", "expected"),
    [
        (0.5, 60.0, FRESH),
        (0.5, 60.1, STALE),
        (0.5, -1.0, FRESH),
        (0.5, -61.0, STALE),
        (0.5, math.nan, STALE),
        (math.nan, 1.0, NAN),
        (math.inf, 1.0, NAN),
        (-math.inf, 999.0, NAN),
    ],
)
def test_state_follows_from_value_and_age(value: float, age: float, expected: Freshness) -> None:
    ages = Ages(table=table(series("n1", age)), stale_after=60.0)

    grid = grid_of(table(series("n1", value)), ages)

    assert states(grid, "n1") == [expected]
    assert (grid.newest("n1") is None) == (expected is not FRESH)
    assert grid.verified


def test_value_whose_age_is_not_told_is_stale() -> None:
    ages = Ages(table=table(series("n2", 1.0)), stale_after=60.0)

    assert states(grid_of(table(series("n1", 0.5)), ages), "n1") == [STALE]


@pytest.mark.parametrize("ages", [None, table()], ids=["failed", "gave nothing"])
def test_age_query_that_gives_nothing_leaves_no_value_fresh(ages: Table | None) -> None:
    grid = grid_of(table(series("n1", 0.5)), Ages(table=ages, stale_after=60.0))

    assert states(grid, "n1") == [STALE]


def test_columns_are_evaluation_times_and_gaps_are_missing() -> None:
    times = AT + STEP * np.array([-2.0, -1.0, 0.0])
    gap = Series({"node": "n1"}, [AT - 2 * STEP, AT + 0.0004], [0.1, 0.3])
    outside = Series({"node": "n2"}, [AT - 5 * STEP, AT + STEP], [9.0, 9.0])

    grid = grid_of(table(gap, outside, times=times), None)

    assert states(grid, "n1") == [FRESH, MISSING, FRESH]
    assert grid.values[0].tolist()[::2] == [0.1, 0.3]
    assert states(grid, "n2") == [MISSING] * 3


def test_two_series_of_one_node_leave_it_missing_and_are_named() -> None:
    found = table(series("n1", 0.5), series("n1", 0.7, instance="10.0.0.5:9100"), series("n2", 0.2))
    grid = grid_of(found, None)

    assert found.trouble == '{node="n1"} and {instance="10.0.0.5:9100", node="n1"} both mean node n1'
    assert states(grid, "n1") == [MISSING]
    assert grid.newest("n2") == 0.2


def test_series_that_follow_each_other_are_one() -> None:
    times = AT + STEP * np.array([-1.0, 0.0])
    old = Series({"node": "n1", "instance": "a"}, [AT - STEP], [0.1])
    new = Series({"node": "n1", "instance": "b"}, [AT], [0.2])

    found = table(old, new, times=times)

    assert found.trouble is None
    assert found.values.tolist() == [[0.1, 0.2]]


def test_series_without_numbers_leaves_its_node_missing_and_is_named() -> None:
    odd = Series({"node": "n1"}, fault="holds native histograms, not numbers")

    found = table(odd, series("n2", 0.2))

    assert found.trouble == '{node="n1"} of node n1 holds native histograms, not numbers'
    assert states(grid_of(found, None), "n1") == [MISSING]


def test_many_faults_are_counted() -> None:
    odd = [Series({"node": name}, fault="holds nothing") for name in ("n1", "n2", "n3")]

    assert (table(*odd).trouble or "").endswith("holds nothing, and 2 more")


def test_series_with_the_wrong_labels_are_named_with_what_was_looked_for() -> None:
    found = table(Series({"host": "n1"}, [AT], [1.0]), series("n2", 0.2))

    assert (
        found.trouble == '1 of 2 series do not say their node, such as {host="n1"} (labels looked at: node, instance)'
    )
    assert found.objects == ("n2",)


def test_foreign_nodes_among_ours_are_no_trouble() -> None:
    assert table(series("vm", 1.0), series("n2", 0.2)).trouble is None


def test_foreign_nodes_alone_are_a_trouble() -> None:
    expected = 'none of 1 series is of a node of this cluster, such as {node="vm"} (labels looked at: node, instance)'

    assert table(series("vm", 1.0)).trouble == expected


def test_deleted_pods_are_no_trouble() -> None:
    naming = PodNames({"a/b"}, namespaces=("namespace",), pods=("pod",))

    gone = tabulate([Series({"namespace": "a", "pod": "gone"}, [AT], [1.0])], naming, NOW)

    assert (gone.trouble, gone.objects) == (None, ())


_numbers = st.floats() | st.sampled_from([math.nan, math.inf, -math.inf, 0.0])


@given(
    st.dictionaries(st.sampled_from(["n1", "n2", "n3"]), st.lists(_numbers, min_size=1, max_size=4), max_size=3),
    st.dictionaries(st.sampled_from(["n1", "n2", "n3"]), st.lists(_numbers, min_size=1, max_size=4), max_size=3),
    st.booleans(),
)
def test_only_fresh_values_have_a_number_and_every_fresh_one_is_finite_and_young(
    values: dict[str, list[float]],
    ages: dict[str, list[float]],
    failed: bool,  # noqa: FBT001  # drawn
) -> None:
    times = AT + STEP * np.arange(-3.0, 1.0)
    told = None if failed else table(*(series(name, *row) for name, row in ages.items()), times=times)

    grid = grid_of(
        table(*(series(name, *row) for name, row in values.items()), times=times),
        Ages(table=told, stale_after=60.0),
    )

    fresh = grid.states == FRESH
    assert np.isfinite(grid.values[fresh]).all()
    assert np.isnan(grid.values[~fresh]).all()
    assert (np.abs(grid.ages[fresh]) <= 60.0).all()
    assert not (failed and fresh.any())
    assert grid.values.shape == (len(values), 4)
