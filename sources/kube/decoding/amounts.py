"""Quantities in objects as exact amounts of resources; knows nothing of pods and nodes."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from policies.values.quantities import milli, whole
from policies.values.resources import CPU, NOTHING, Resources

_MOST: Final = 2**63 - 1  # the API's own limit; keeps amounts within what arrays of integers can hold


@lru_cache(maxsize=2**16)  # clusters repeat the same few thousand texts, and exact parsing costs 5 µs each
def amount(name: str, text: str | float) -> int:
    """Return a quantity in milli-cores (cpu) or whole base units (everything else), at most 2^63 - 1.

    Raises:
        QuantityError: it is not a quantity.
    """
    exact = milli(text) if name == CPU else whole(text)
    return max(-_MOST, min(_MOST, exact))


def resources(raw: Mapping[str, str] | None) -> Resources:
    """Return a resource list such as `requests` or `allocatable`; amounts of 0 are left out.

    Raises:
        QuantityError: an amount is not a quantity.
    """
    if not raw:
        return NOTHING
    return Resources({name: exact for name, text in raw.items() if (exact := amount(name, text))})
