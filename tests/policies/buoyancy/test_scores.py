"""Normalising, the gate of CPU pressure, and the scores of pods."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.scores import Anchors, gated, normalise, pressure_lacking, shares_of
from policies.values.signals import Floats

ANY = st.floats()
NAN = math.nan


def of(*values: float) -> Floats:
    return np.array(values)


def test_below_zero_there_is_no_contention() -> None:
    assert normalise(of(0.1, 0.2, 0.7, 1.2, 2.2), Anchors(0.2, 1.2)).tolist() == pytest.approx([0, 0, 0.5, 1.0, 2.0])


def test_anchors_may_run_downwards_where_less_is_worse() -> None:
    assert normalise(of(1.0, 0.5, 0.0), Anchors(1.0, 0.0)).tolist() == pytest.approx([0.0, 0.5, 1.0])


@pytest.mark.parametrize("anchors", [Anchors(1, 1), Anchors(NAN, 1), Anchors(0, math.inf), Anchors(-math.inf, 0)])
def test_anchors_without_a_span_score_nothing(anchors: Anchors) -> None:
    assert np.isnan(normalise(of(0.0, 1.0, 5.0), anchors)).all()


@given(ANY, ANY, ANY)
def test_a_score_is_finite_and_at_least_0_or_missing(raw: float, zero: float, full: float) -> None:
    score = normalise(of(raw), Anchors(zero, full))[0]

    assert np.isnan(score) or (score >= 0 and np.isfinite(score))


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_more_use_never_scores_less(raw: float, more: float) -> None:
    low, high = normalise(of(raw, raw + more), Anchors(0.2, 1.2))

    assert high >= low


@pytest.mark.parametrize(
    ("use", "pressure", "score"),
    [(0.69, 0.9, 0.69), (0.7, 0.2, 0.9), (1 - 0.3, 0.2, 0.9), (0.9, NAN, 0.9), (0.9, -0.5, 0.9), (0.9, math.inf, 0.9)],
    ids=["below gate", "at the gate", "at the gate but for rounding", "missing", "negative", "infinite"],
)
def test_pressure_counts_only_above_the_gate(use: float, pressure: float, score: float) -> None:
    assert gated(of(use), of(pressure), 0.7)[0] == pytest.approx(score)


@given(ANY, ANY)
def test_whatever_is_measured_a_gated_score_is_finite_or_missing(use: float, pressure: float) -> None:
    score = normalise(gated(of(use), of(pressure), 0.7), Anchors())[0]

    assert np.isnan(score) or (score >= 0 and np.isfinite(score))


def test_pressure_without_use_is_missing() -> None:
    assert np.isnan(gated(of(NAN), of(0.9), 0.7)[0])


def test_pressure_is_lacking_only_where_the_gate_is_reached() -> None:
    lacking = pressure_lacking(of(0.9, 0.9, 0.5, NAN), of(NAN, 0.1, NAN, NAN), 0.7)

    assert lacking.tolist() == [True, False, False, False]


def test_pods_share_the_capacity_of_their_node() -> None:
    assert shares_of(of(2.0, 1.0), of(8.0, 4.0), Anchors()).tolist() == pytest.approx([0.25, 0.25])


def test_a_pods_share_is_on_the_scale_of_its_nodes_score() -> None:
    node = normalise(of(0.85), Anchors(0.0, 0.85))[0]
    pods = shares_of(of(3.4, 3.4), of(8.0, 8.0), Anchors(0.0, 0.85))

    assert pods.sum() == pytest.approx(node)


@pytest.mark.parametrize("capacity", [0.0, -4.0, NAN])
def test_nothing_is_a_share_of_nothing(capacity: float) -> None:
    assert np.isnan(shares_of(of(2.0), of(capacity), Anchors())[0])
