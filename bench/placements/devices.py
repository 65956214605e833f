"""Whether the parts of devices that pods of one node ask for fit onto its devices; the optimiser sees only their sum.

A pod asks for some whole devices, or for a part of a single one, in thousandths.
"""

from collections.abc import Sequence
from typing import Final

WHOLE: Final = 1000
_STEPS: Final = 20_000


def packs(parts: Sequence[int], *, devices: int) -> bool | None:
    """Tell whether parts (more than a whole: that many whole devices) fit; None where the search was given up."""
    whole = sum(-(-part // WHOLE) for part in parts if part >= WHOLE)
    shares = sorted((part for part in parts if 0 < part < WHOLE), reverse=True)
    left = devices - whole
    if left < 0 or sum(shares) > left * WHOLE:
        return False
    search = _Search(shares, [WHOLE] * left)
    found = search.fits(0)
    return None if not found and search.steps > _STEPS else found


class _Search:
    """Largest part first, each device of one rest tried once."""

    def __init__(self, shares: Sequence[int], rests: list[int]) -> None:
        self.steps = 0
        self._shares = shares
        self._rests = rests

    def fits(self, at: int) -> bool:
        """Tell whether the parts from this one on fit into what is left."""
        if at == len(self._shares):
            return True
        self.steps += 1
        share, tried = self._shares[at], set[int]()
        for device, rest in enumerate(self._rests):
            if rest < share or rest in tried or self.steps > _STEPS:
                continue
            tried.add(rest)
            self._rests[device] -= share
            if self.fits(at + 1):
                return True
            self._rests[device] += share
        return False
