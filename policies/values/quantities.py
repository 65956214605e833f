"""Kubernetes quantities, exactly: text to integers without a float in between; knows no object that carries them."""

import math
import re
from fractions import Fraction

_SHAPE = re.compile(r"^([+-]?(?:\d+\.?\d*|\.\d+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d{1,3}))?$")
_SCALES: dict[str, Fraction] = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    **{letter: Fraction(1000**power) for power, letter in enumerate("kMGTPE", start=1)},
    **{f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGTPE", start=1)},
}


class QuantityError(ValueError):
    """A text that is not a Kubernetes quantity."""


def parse_quantity(text: str | float) -> Fraction:
    """Return the exact value of a quantity such as `250m`, `1.5Gi` or `12e6`, in base units (cores, bytes).

    Raises:
        QuantityError: the text has another form; the message shows it and an allowed form.
    """
    match = _SHAPE.match(str(text).strip())
    if match is None:
        raise QuantityError(f"{text!r} is not a quantity; allowed is a number with m, k, M, Gi … or an exponent")
    number, suffix, exponent = match.groups()
    scale = _SCALES[suffix] if suffix else Fraction(10) ** int(exponent or 0)
    return Fraction(number) * scale


def milli(text: str | float) -> int:
    """Return a quantity in thousandths, rounded up as Kubernetes rounds requests."""
    return math.ceil(parse_quantity(text) * 1000)


def whole(text: str | float) -> int:
    """Return a quantity in whole base units, rounded up as Kubernetes rounds requests."""
    return math.ceil(parse_quantity(text))
