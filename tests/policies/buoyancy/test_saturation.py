"""Saturation from readings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.saturation import fresh_values, saturate
from policies.values.signals import Freshness, Grid, ResourceReadings, SignalHistory
from tests.policies.buoyancy.histories import NOW, STEP, make_grid, make_history, make_saturation, make_signals

NAN = math.nan


def test_rows_follow_the_nodes_and_a_node_without_a_series_is_missing() -> None:
    history = make_history({"cpu": make_grid({"n2": [0.2, 0.3], "ghost": [0.9, 0.9], "n1": [0.5, 0.6]})})

    found = saturate(history, make_signals("cpu"), nodes=("n1", "n2", "n3"))

    assert found.scores[0].tolist() == pytest.approx(np.array([[0.5, 0.6], [0.2, 0.3], [NAN, NAN]]), nan_ok=True)
    assert found.states[0, 2].tolist() == [Freshness.MISSING, Freshness.MISSING]
    assert found.whole[0].all(axis=1).tolist() == [True, True, False]


def test_resources_are_in_alphabetical_order() -> None:
    found = make_saturation({"memory": {"n": [0.1]}, "cpu": {"n": [0.2]}})

    assert found.resources == ("cpu", "memory")
    assert found.scores[:, 0, 0].tolist() == [0.2, 0.1]


def test_newest_sample_is_as_old_as_its_age_says() -> None:
    found = make_saturation({"cpu": {"n1": [0.5], "n2": [None]}}, age=20.0)

    assert found.newest_sample[0].tolist() == pytest.approx([NOW - 20, NAN], nan_ok=True)
    assert found.now == NOW


def test_a_resource_whose_query_gave_nothing_is_missing_on_every_node() -> None:
    history = make_history({"cpu": make_grid({"n": [0.5, 0.5]}), "llc": Grid.empty()})

    found = saturate(history, make_signals("cpu", "llc", "mbw"), nodes=("n",))

    assert found.whole[:, 0, -1].tolist() == [True, False, False]
    assert found.states[1:, 0, -1].tolist() == [Freshness.MISSING, Freshness.MISSING]


def test_without_resources_or_nodes_the_arrays_still_have_their_shape() -> None:
    empty = saturate(make_history({}, columns=3), make_signals(), nodes=("n",))
    nobody = saturate(make_history({"cpu": make_grid({"n": [0.5]})}), make_signals("cpu"), nodes=())

    assert empty.scores.shape == (0, 1, 3)
    assert nobody.scores.shape == (1, 0, 1)


def test_without_evaluations_nothing_is_known() -> None:
    history = SignalHistory(times=np.empty(0), step=STEP)

    assert saturate(history, make_signals("cpu"), nodes=("n",)).scores.shape == (1, 1, 0)


def test_a_grid_that_does_not_cover_the_evaluations_is_refused() -> None:
    history = make_history({"cpu": make_grid({"n": [0.5]})}, columns=3)

    with pytest.raises(ValueError, match=r"cpu\.node has 1 columns, allowed are the 3 evaluation times"):
        saturate(history, make_signals("cpu"), nodes=("n",))


def readings(use: float | None, pressure: float | None, *, pressure_verified: bool = True) -> SignalHistory:
    grids = ResourceReadings(
        node=make_grid({"n": [use]}), pressure=make_grid({"n": [pressure]}, verified=pressure_verified)
    )
    return make_history({"cpu": grids})


@pytest.mark.parametrize(
    ("use", "pressure", "score", "whole"),
    [(0.85, 0.3, 1.15, True), (0.5, 0.6, 0.5, True), (0.5, None, 0.5, True), (0.85, None, 0.85, False)],
    ids=["N13", "N12", "below the gate", "a lower bound"],
)
def test_cpu_is_gated(use: float, pressure: float | None, score: float, whole: bool) -> None:  # noqa: FBT001  # a table's column
    found = saturate(readings(use, pressure), make_signals("cpu", pressure="p"), nodes=("n",))

    assert found.scores[0, 0, 0] == pytest.approx(score)
    assert bool(found.whole[0, 0, 0]) is whole
    assert found.states[0, 0, 0] == (Freshness.FRESH if whole else Freshness.MISSING)


def test_a_pressure_query_that_gave_nothing_leaves_lower_bounds() -> None:
    history = make_history({"cpu": make_grid({"busy": [0.9], "idle": [0.1]})})

    found = saturate(history, make_signals("cpu", pressure="p"), nodes=("busy", "idle"))

    assert found.whole[0, :, 0].tolist() == [False, True]
    assert found.verified.tolist() == [True]


def test_unverified_pressure_makes_the_score_unverified() -> None:
    history = readings(0.85, 0.3, pressure_verified=False)

    assert not saturate(history, make_signals("cpu", pressure="p"), nodes=("n",)).verified[0]


def test_a_fresh_value_that_normalising_turns_into_no_number_counts_as_nan() -> None:
    found = saturate(make_history({"cpu": make_grid({"n": [1e308]})}), make_signals("cpu", full=1e-9), nodes=("n",))

    assert np.isnan(found.scores[0, 0, 0])
    assert found.states[0, 0, 0] == Freshness.NAN


@given(st.sampled_from(Freshness), st.floats())
def test_only_fresh_and_finite_values_enter(state: Freshness, value: float) -> None:
    grid = Grid(
        objects=("n",),
        values=np.array([[value]]),
        states=np.array([[state]], dtype=np.uint8),
        ages=np.zeros((1, 1)),
        row={"n": 0},
    )

    usable = state is Freshness.FRESH and math.isfinite(value)
    assert np.isnan(fresh_values(grid)[0, 0]) != usable
    assert np.isnan(saturate(make_history({"cpu": grid}), make_signals("cpu"), nodes=("n",)).scores[0, 0, 0]) != usable
