"""Saturation without those who were evicted lately."""

import math

import numpy as np
import pytest

from policies.buoyancy.corrections import Arithmetic, Departure, without_departed
from policies.buoyancy.saturation import Saturation, saturate
from policies.model.signals import Signals
from policies.values.signals import ResourceReadings
from tests.policies.buoyancy.histories import NOW, make_grid, make_history, make_saturation, make_signals

ARITHMETIC = Arithmetic(additive={"cpu"}, rate_windows={"cpu": 30.0, "psi": 30.0})


def make_hot(**grids: object) -> Saturation:
    return make_saturation({"cpu": {"n": [1.1] * 5, "m": [0.4] * 5}, "psi": {"n": [0.9] * 5, "m": [0.1] * 5}}, **grids)


def scores_after(departure: Departure, **grids: object) -> dict[str, list[float]]:
    found = without_departed(make_hot(**grids), [departure], arithmetic=ARITHMETIC)
    return {name: found.scores[k, 1].tolist() for k, name in enumerate(found.resources)}


def make_gated(*, use: list[float], pressure: list[float], signals: Signals | None = None) -> Saturation:
    """Return the saturation of one node by its use, and pressure from a gate of 0.7 on."""
    readings = ResourceReadings(node=make_grid({"n": use}), pressure=make_grid({"n": pressure}))
    return saturate(
        make_history({"cpu": readings}), signals or make_signals("cpu", pressure="q", gate=0.7), nodes=("n",)
    )


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


@pytest.mark.parametrize(
    ("taken", "expected"),
    [(0.1, 0.8 + 0.4), (0.2, 0.7 + 0.4), (0.3, 0.6)],
    ids=["above the gate", "at the gate", "below the gate"],
)
def test_pressure_counts_no_longer_where_the_use_without_the_pod_is_below_the_gate(
    taken: float, expected: float
) -> None:
    measured = make_gated(use=[0.9] * 3, pressure=[0.4] * 3)

    found = without_departed(measured, [Departure(node="n", at=math.inf, scores={"cpu": taken})], arithmetic=ARITHMETIC)

    assert measured.scores[0, 0].tolist() == pytest.approx([1.3] * 3)
    assert found.scores[0, 0].tolist() == pytest.approx([expected] * 3)
    assert found.whole.all()


def test_pressure_that_two_departures_made_pointless_does_not_come_back() -> None:
    left = [Departure(node="n", at=math.inf, scores={"cpu": 0.15}) for _ in range(2)]

    found = without_departed(make_gated(use=[0.9], pressure=[0.4]), left, arithmetic=ARITHMETIC)

    assert found.scores[0, 0].tolist() == pytest.approx([0.6])


def test_gates_and_pressure_are_on_the_scale_of_the_score() -> None:
    signals = make_signals("cpu", pressure="q", gate=0.5, zero=0.1, full=0.6)

    found = make_gated(use=[0.55, 0.4], pressure=[0.25, 0.25], signals=signals)

    assert found.gates.tolist() == pytest.approx([0.8])
    assert found.scores[0, 0].tolist() == pytest.approx([1.4, 0.6])
    assert found.pressure[0, 0].tolist() == pytest.approx([0.5, 0.0])


def test_without_departures_or_evaluations_nothing_changes() -> None:
    hot, empty = make_hot(), saturate(make_history({}, columns=0), make_signals("cpu"), nodes=("n",))

    assert without_departed(hot, [Departure(node="ghost", at=NOW)], arithmetic=ARITHMETIC) is hot
    assert without_departed(empty, [Departure(node="n", at=NOW)], arithmetic=ARITHMETIC) is empty
