"""How long to wait before another try: growing pauses with jitter, never shorter than asked; sleeps nowhere."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """Growing pauses in seconds. `first` doubles up to `longest`; each is stretched by up to `jitter` of itself.

    The jitter only ever lengthens: a pause that the server asked for must not be cut.
    """

    first: float = 1.0
    factor: float = 2.0
    longest: float = 30.0
    jitter: float = 0.5

    def after(self, failures: int, *, asked: float | None, rng: random.Random) -> float:
        """Return the pause after so many failures (from 1 on), at least what the server `asked` for."""
        # The exponent is capped: 2.0**1100 would overflow long after the pause stopped growing.
        grown = min(self.longest, self.first * self.factor ** min(failures - 1, 64))
        return max(grown, asked or 0.0) * (1.0 + self.jitter * rng.random())
