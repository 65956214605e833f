"""Arithmetic about moves."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.buoyancy.moves import Move, consequence, put_on, taken_off

SHARES = st.floats(0, 2)


def make_move(**changes: Any) -> Move:
    """Return the move of a quarter of an oversubscribed node to an equal one that is half used."""
    defaults: dict[str, Any] = {
        "source": {"cpu": 1.1},
        "destination": {"cpu": 0.5},
        "pod": {"cpu": 0.25},
        "additive": {"cpu"},
        "contested": "cpu",
    }
    return Move(**(defaults | changes))


def test_taking_off_never_goes_below_0() -> None:
    assert taken_off(0.2, 0.5) == 0.0


def test_put_on_scales_with_capacity() -> None:
    assert put_on(0.7, 0.25, ratio=0.5) == pytest.approx(0.825)


def test_a_move_that_turns_the_pair_over_gains_nothing() -> None:
    found = consequence(make_move(source={"cpu": 0.5}, destination={"cpu": 0.45}), keep=0.1)

    assert found.fits
    assert not found.gains


def test_a_move_that_only_swaps_the_roles_gains_nothing() -> None:
    found = consequence(make_move(source={"cpu": 0.75}, destination={"cpu": 0.5}), keep=0.1)

    assert found.destination == pytest.approx({"cpu": 0.75})
    assert not found.gains


def test_exactly_the_headroom_asked_for_is_enough() -> None:
    assert consequence(make_move(destination={"cpu": 0.65}), keep=0.1).fits


@pytest.mark.parametrize(("pressure", "fits"), [(0.8, True), (0.81, False)])
def test_what_does_not_add_up_needs_a_tenth_more_beforehand(pressure: float, fits: bool) -> None:  # noqa: FBT001  # a table's column
    move = make_move(source={"cpu": 1.1, "llc": 0.4}, destination={"cpu": 0.5, "llc": pressure}, pod={"cpu": 0.25})

    assert consequence(move, keep=0.1).fits is fits


def test_an_additive_resource_without_the_pods_part_counts_as_not_additive() -> None:
    move = make_move(destination={"cpu": 0.85}, pod={})

    found = consequence(move, keep=0.1)

    assert found.destination == {"cpu": 0.85}
    assert not found.fits
    assert found.gains


def test_a_contested_resource_that_does_not_add_up_must_be_lower_over_there() -> None:
    lower = make_move(source={"psi": 1.2}, destination={"psi": 0.3}, contested="psi", pod={}, additive=())
    equal = make_move(source={"psi": 0.3}, destination={"psi": 0.3}, contested="psi", pod={}, additive=())

    assert consequence(lower, keep=0.1).gains
    assert not consequence(equal, keep=0.1).gains


def test_another_resource_that_the_move_would_fill_refuses_it() -> None:
    move = make_move(
        source={"cpu": 1.1, "memory": 0.5},
        destination={"cpu": 0.2, "memory": 0.7},
        pod={"cpu": 0.25, "memory": 0.3},
        additive={"cpu", "memory"},
    )

    found = consequence(move, keep=0.1)

    assert found.headroom == pytest.approx(0.0)
    assert not found.fits


@pytest.mark.parametrize("destination", [{}, {"llc": 0.1}, {"cpu": math.nan}], ids=["nothing", "other", "nan"])
def test_a_destination_not_measured_on_the_contested_resource_never_serves(destination: dict[str, float]) -> None:
    found = consequence(make_move(destination=destination), keep=0.1)

    assert not (found.fits and found.gains)


def test_a_source_that_is_not_measured_gains_nothing() -> None:
    assert not consequence(make_move(source={}), keep=0.1).gains


@given(SHARES, SHARES, st.floats(0, 1), st.floats(0.1, 4))
def test_more_room_at_the_destination_never_makes_it_worse(
    source: float, destination: float, pod: float, ratio: float
) -> None:
    tight = consequence(
        make_move(source={"cpu": source}, destination={"cpu": destination}, pod={"cpu": pod}, ratios={"cpu": ratio}),
        keep=0.1,
    )
    roomy = consequence(
        make_move(
            source={"cpu": source}, destination={"cpu": destination / 2}, pod={"cpu": pod}, ratios={"cpu": ratio}
        ),
        keep=0.1,
    )

    assert roomy.headroom >= tight.headroom - 1e-9
    assert roomy.fits or not tight.fits
