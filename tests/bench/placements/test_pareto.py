"""Draws stay within bounds, means are those of the published parameters."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.placements.pareto import Pareto, with_mean

EXPONENTS = st.floats(-3, 6).filter(lambda value: min(abs(value), abs(value - 1), abs(value - 2)) > 1e-6)
BOUNDS = st.tuples(st.floats(0.001, 10), st.floats(1.1, 1000)).map(lambda pair: (pair[0], pair[0] * pair[1]))


@pytest.mark.parametrize(
    ("low", "high", "exponent", "mean"),
    [(0.05, 0.5, 1.057142, 0.125), (0.0001, 128.0, 0.020846, 8.0), (4.0, 86_400.0, 0.408256, 1028.0)],
    ids=["requests", "arrivals", "lifetimes"],
)
def test_published_exponents_give_the_published_means(low: float, high: float, exponent: float, mean: float) -> None:
    assert Pareto(low, high, exponent).mean == pytest.approx(mean, rel=2e-3)
    assert with_mean(low, high, mean).exponent == pytest.approx(exponent, rel=2e-2)


@given(bounds=BOUNDS, exponent=EXPONENTS, share=st.floats(0, 1))
@example(bounds=(1.0, 512.0), exponent=6.0, share=1.0)
def test_draws_stay_within_the_bounds_and_rise_with_the_share(
    bounds: tuple[float, float], exponent: float, share: float
) -> None:
    drawn = Pareto(*bounds, exponent)

    assert bounds[0] * (1 - 1e-9) <= float(drawn.at(share)) <= bounds[1] * (1 + 1e-6)
    assert float(drawn.at(share / 2)) <= float(drawn.at(share)) * (1 + 1e-6)


@given(bounds=BOUNDS, share=st.floats(0.05, 0.95))
def test_a_mean_is_met(bounds: tuple[float, float], share: float) -> None:
    middle = math.exp(math.log(bounds[0]) * (1 - share) + math.log(bounds[1]) * share)

    assert with_mean(*bounds, middle).mean == pytest.approx(middle, rel=1e-6)


def test_the_sample_mean_is_the_mean_and_the_length_biased_one_its_second_moment_over_it() -> None:
    drawn, chance = Pareto(1.0, 20.0, 1.3), np.random.default_rng(5)

    assert drawn.draw(chance, 200_000).mean() == pytest.approx(drawn.mean, rel=0.01)
    biased = drawn.length_biased().draw(chance, 200_000).mean()
    assert biased == pytest.approx(drawn.second_moment / drawn.mean, rel=0.01)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0])
def test_the_exponents_at_which_the_formula_has_a_pole_are_no_exception(exponent: float) -> None:
    around = Pareto(1.0, 9.0, exponent + 1e-7)

    assert Pareto(1.0, 9.0, exponent).mean == pytest.approx(around.mean, rel=1e-5)
    assert float(Pareto(1.0, 9.0, exponent).at(0.3)) == pytest.approx(float(around.at(0.3)), rel=1e-5)


def test_bounds_and_means_out_of_reach_are_refused() -> None:
    with pytest.raises(ValueError, match=r"bounds 2 and 1; allowed is 0 < low < high"):
        Pareto(2.0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"a mean of 9 on 1 to 2; allowed is well within the bounds"):
        with_mean(1.0, 2.0, 9.0)
