"""The one comparison with a threshold, for single numbers and arrays alike; knows no threshold.

`1 - 0.9` is 0.09999999999999998: without a tolerance a node at R = 0.9 would be refused at a threshold of 0.1.
"""

from typing import Final, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from policies.values.signals import Floats

Flags: TypeAlias = NDArray[np.bool_]

DIGITS: Final = 9
TOLERANCE: Final = 1e-9


@overload
def below(value: float, threshold: float) -> bool: ...
@overload
def below(value: Floats, threshold: float) -> Flags: ...
def below(value: float | Floats, threshold: float) -> bool | Flags:
    """Tell whether a value is below a threshold; NaN is never below anything."""
    return value < threshold - TOLERANCE


@overload
def above(value: float, threshold: float) -> bool: ...
@overload
def above(value: Floats, threshold: float) -> Flags: ...
def above(value: float | Floats, threshold: float) -> bool | Flags:
    """Tell whether a value is above a threshold; NaN is never above anything."""
    return value > threshold + TOLERANCE


def level(value: float) -> float:
    """Return a number to sort by in which values closer than the tolerance are, as a rule, equal."""
    return round(value, DIGITS)
