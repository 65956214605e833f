"""Quantities: every form that Kubernetes writes, exactly, and nothing else."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.quantities import QuantityError, milli, parse_quantity, whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("250m", Fraction(1, 4)),
        ("1.5Gi", Fraction(3 * 2**29)),
        ("12e6", Fraction(12_000_000)),
        ("1E", Fraction(10**18)),
        ("1E2", Fraction(100)),
        ("100n", Fraction(1, 10**7)),
        ("-2", Fraction(-2)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        (2, Fraction(2)),
    ],
)
def test_value_is_exact(text: str | float, value: Fraction) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize("text", ["", "much", "1Xi", "1 Gi", "0x10", "NaN", "1e", "1mi", "--1"])
def test_other_forms_are_refused_with_what_was_seen(text: str) -> None:
    with pytest.raises(QuantityError) as refused:
        parse_quantity(text)

    assert repr(text) in str(refused.value)
    assert "allowed is a number" in str(refused.value)


def test_requests_are_rounded_up() -> None:
    assert milli("100u") == 1
    assert whole("1500m") == 2


@given(st.integers(0, 10**15))
def test_a_number_of_milli_units_reads_back(number: int) -> None:
    assert milli(f"{number}m") == number
    assert whole(f"{number}m") == -(-number // 1000)
