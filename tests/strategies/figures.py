"""Numbers and their texts: quantities, shares, moments, whatever a query may give."""

from functools import cache

import numpy as np
from hypothesis import strategies as st

from tests.builders import HOUR, NOW

_SUFFIXES = ("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


@cache
def quantities() -> st.SearchStrategy[str]:
    """Texts that are Kubernetes quantities, decimals, signs and exponents included."""
    numbers = st.one_of(
        st.integers(0, 10**6).map(str),
        st.decimals(0, 10**4, places=3).map(str),
        st.integers(0, 999).map(lambda number: f".{number}"),
    )
    signed = st.builds(lambda sign, number: sign + number, st.sampled_from(("", "+", "-")), numbers)
    exponents = st.integers(-9, 12).map(lambda power: f"e{power}")
    return st.builds(lambda number, suffix: number + suffix, signed, st.sampled_from(_SUFFIXES) | exponents)


@cache
def unit_floats() -> st.SearchStrategy[float]:
    """Numbers from 0 to 1, both ends often."""
    return st.sampled_from((0.0, 1.0)) | st.floats(0, 1)


@cache
def any_floats() -> st.SearchStrategy[float]:
    """Whatever a query may give: NaN, infinities, negative and enormous numbers."""
    return st.sampled_from((np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300)) | st.floats(-10, 10)


@cache
def times() -> st.SearchStrategy[float]:
    """Whole Unix seconds of the last day, as the API gives them."""
    return st.integers(int(NOW - 24 * HOUR), int(NOW)).map(float)
