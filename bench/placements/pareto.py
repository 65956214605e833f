"""The truncated Pareto distribution: draws, its mean, and the exponent for a mean; keeps no state.

Density proportional to `x^(-exponent-1)` between the bounds. Source: docs/design/optimiser.md, section on traces.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_BISECTIONS = 200
_WIDEST = 300.0  # of the bounds' ratio to this power a float still holds the square


@dataclass(frozen=True, slots=True)
class Pareto:
    """`low` and `high` bound what is drawn; a larger exponent draws smaller values. No exponent is special but 0, 1."""

    low: float
    high: float
    exponent: float

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high:
            raise ValueError(f"bounds {self.low:g} and {self.high:g}; allowed is 0 < low < high")

    def at(self, share: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return the value below which this share of all draws lies."""
        a, width = self.exponent, math.log(self.high / self.low)
        shares = np.asarray(share, np.float64)
        if math.isclose(a, 0.0, abs_tol=1e-12):
            return np.asarray(self.low * np.exp(width * shares))
        # The inverse of the distribution in a form that stays exact near an exponent of 0.
        with np.errstate(divide="ignore"):  # the share of everybody may be infinity before it is cut
            drawn = self.low * np.exp(-np.log1p(shares * np.expm1(-a * width)) / a)
        return np.asarray(np.clip(drawn, self.low, self.high))

    def draw(self, chance: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Draw values."""
        return self.at(chance.random(count))

    @property
    def mean(self) -> float:
        """Return the mean."""
        return self._moment(1.0) / self._moment(0.0)

    @property
    def second_moment(self) -> float:
        """Return the mean of the square."""
        return self._moment(2.0) / self._moment(0.0)

    def length_biased(self) -> "Pareto":
        """Return the distribution of what is met at a random moment: each value as often as it is long."""
        return Pareto(self.low, self.high, self.exponent - 1)

    def _moment(self, power: float) -> float:
        """Return the integral of `x^power · x^(-exponent-1)`, in units of `low` against overflow."""
        at, ratio = power - self.exponent, self.high / self.low
        integral = math.log(ratio) if math.isclose(at, 0.0, abs_tol=1e-12) else (ratio**at - 1) / at
        return float(self.low**power * integral)


def with_mean(low: float, high: float, mean: float) -> Pareto:
    """Return the distribution on these bounds that has this mean.

    Raises:
        ValueError: no exponent in reach gives it.
    """
    most = _WIDEST / math.log(high / low)
    least = -most  # the mean falls with the exponent
    if not Pareto(low, high, most).mean <= mean <= Pareto(low, high, least).mean:
        raise ValueError(f"a mean of {mean:g} on {low:g} to {high:g}; allowed is well within the bounds")
    for _ in range(_BISECTIONS):
        middle = (least + most) / 2
        least, most = (middle, most) if Pareto(low, high, middle).mean > mean else (least, middle)
    return Pareto(low, high, (least + most) / 2)
