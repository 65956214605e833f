"""One comparison with every threshold."""

import math

import numpy as np
import pytest

from policies.buoyancy.tolerance import above, below, level


def test_what_arithmetic_leaves_of_a_tenth_is_not_below_a_tenth() -> None:
    assert not below(1 - 0.9, 0.1)
    assert not above(1 - 0.7, 0.3)


def test_what_is_clearly_beyond_counts() -> None:
    assert below(0.1 - 2e-9, 0.1)
    assert above(0.1 + 2e-9, 0.1)


@pytest.mark.parametrize("value", [math.nan])
def test_nan_is_on_no_side(value: float) -> None:
    assert not below(value, 0.0)
    assert not above(value, 0.0)


def test_infinities_are_on_their_side() -> None:
    assert below(-math.inf, -1e300)
    assert above(math.inf, 1e300)


def test_arrays_compare_like_numbers() -> None:
    values = np.array([1 - 0.9, 0.0, math.nan, -math.inf])

    assert below(values, 0.1).tolist() == [below(float(value), 0.1) for value in values]
    assert above(values, -1.0).tolist() == [above(float(value), -1.0) for value in values]


def test_sums_that_differ_by_rounding_sort_as_equals() -> None:
    assert level(0.1 + 0.2) == level(0.3)
    assert level(1e308) == 1e308
