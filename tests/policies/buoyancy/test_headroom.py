"""Headroom, the contested resource, pod buoyancy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from policies.buoyancy.headroom import contested, headroom, largest_score, pod_buoyancy
from policies.values.signals import Floats

NAN = math.nan
SCORES = arrays(np.float64, (3, 5), elements=st.floats(0, 3) | st.just(NAN))


def test_headroom_is_what_the_most_contested_resource_leaves() -> None:
    assert headroom(np.array([[0.45, NAN], [0.3, 1.2]])).tolist() == pytest.approx([0.55, -0.2])


def test_missing_is_never_read_as_0() -> None:
    assert np.isnan(headroom(np.array([[NAN], [NAN]]))[0])


def test_ties_go_to_the_first_resource_even_but_for_rounding() -> None:
    scores = np.array([[0.3, 0.5, NAN], [0.1 + 0.2, 0.6, NAN]])

    assert contested(scores).tolist() == [0, 1, -1]


def test_without_resources_nothing_is_known() -> None:
    nothing = np.empty((0, 2))

    assert np.isnan(largest_score(nothing)).all()
    assert contested(nothing).tolist() == [-1, -1]


@given(SCORES)
def test_contested_resource_has_the_largest_score(scores: Floats) -> None:
    for column, at in enumerate(contested(scores)):
        known = scores[:, column][~np.isnan(scores[:, column])]
        assert (at == -1) == (known.size == 0)
        if known.size:
            assert scores[at, column] == pytest.approx(known.max(), abs=2e-9)


@pytest.mark.parametrize(
    ("slack", "scores", "buoyancy"),
    [(0.2, (0.5, 0.9), 0.1), (-0.3, (0.5,), -0.3), (None, (0.5, NAN), 0.5), (NAN, (), None), (0.4, (math.inf,), 0.4)],
)
def test_pod_buoyancy_drops_what_is_absent(
    slack: float | None, scores: tuple[float, ...], buoyancy: float | None
) -> None:
    assert pod_buoyancy(slack, scores) == (None if buoyancy is None else pytest.approx(buoyancy))
