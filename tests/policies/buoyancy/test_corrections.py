"""Saturation without those who were evicted lately."""

import math

import numpy as np
import pytest

from policies.buoyancy.corrections import Arithmetic, Departure, without_departed
from policies.buoyancy.saturation import Saturation, saturate
from tests.policies.buoyancy.histories import NOW, make_history, make_saturation, make_signals

ARITHMETIC = Arithmetic(additive={"cpu"}, rate_windows={"cpu": 30.0, "psi": 30.0})


def make_hot(**grids: object) -> Saturation:
    return make_saturation({"cpu": {"n": [1.1] * 5, "m": [0.4] * 5}, "psi": {"n": [0.9] * 5, "m": [0.1] * 5}}, **grids)


def scores_after(departure: Departure, **grids: object) -> dict[str, list[float]]:
    found = without_departed(make_hot(**grids), [departure], arithmetic=ARITHMETIC)
    return {name: found.scores[k, 1].tolist() for k, name in enumerate(found.resources)}


def test_older_evaluations_are_taken_without_the_pod_and_younger_ones_fade() -> None:
    left = Departure(node="n", at=NOW - 30, scores={"cpu": 0.2})

    assert scores_after(left)["cpu"] == pytest.approx([0.9, 0.9, 0.9, 1.0, 1.1])


def test_what_does_not_add_up_is_dropped_for_a_whole_rate_window() -> None:
    left = Departure(node="n", at=NOW - 30, scores={"psi": 0.2})

    assert scores_after(left)["psi"] == pytest.approx([math.nan] * 4 + [0.9], nan_ok=True)


@pytest.mark.parametrize("scores", [{}, {"cpu": math.nan}], ids=["unknown", "nan"])
def test_a_pod_whose_part_nobody_knows_drops_the_evaluations(scores: dict[str, float]) -> None:
    left = Departure(node="n", at=NOW - 30, scores=scores)

    assert np.isnan(scores_after(left)["cpu"]).tolist() == [True, True, True, True, False]


def test_a_pod_that_is_still_ending_is_taken_off_every_evaluation() -> None:
    assert scores_after(Departure(node="n", at=math.inf, scores={"cpu": 0.2}))["cpu"] == pytest.approx([0.9] * 5)


def test_an_evaluation_is_as_old_as_its_sample() -> None:
    left = Departure(node="n", at=NOW - 30, scores={"cpu": 0.2})

    assert scores_after(left, age=15.0)["cpu"] == pytest.approx([0.9, 0.9, 0.9, 0.9, 1.0])


def test_a_gauge_shows_the_departure_at_once() -> None:
    gauge = Arithmetic(additive={"cpu"}, rate_windows={"cpu": 0.0})

    found = without_departed(
        make_saturation({"cpu": {"n": [1.1] * 3}}),
        [Departure(node="n", at=NOW - 15, scores={"cpu": 0.2})],
        arithmetic=gauge,
    )

    assert found.scores[0, 0].tolist() == pytest.approx([0.9, 1.1, 1.1])


def test_several_departures_add_up_and_never_go_below_0() -> None:
    left = [Departure(node="n", at=NOW, scores={"cpu": share}) for share in (0.3, 0.4, 0.9)]

    found = without_departed(make_hot(), left, arithmetic=ARITHMETIC)

    assert found.scores[0, 1, 0] == 0.0
    assert found.scores[0, 0].tolist() == [0.4] * 5
    assert not found.whole[1, 1, 0]


def test_without_departures_or_evaluations_nothing_changes() -> None:
    hot, empty = make_hot(), saturate(make_history({}, columns=0), make_signals("cpu"), nodes=("n",))

    assert without_departed(hot, [Departure(node="ghost", at=NOW)], arithmetic=ARITHMETIC) is hot
    assert without_departed(empty, [Departure(node="n", at=NOW)], arithmetic=ARITHMETIC) is empty
