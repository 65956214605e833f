"""Sizes, tiers and replicas of made workloads, as they are drawn; a node is 1,000 milli-cores and 1 GiB.

Source: docs/design/optimiser.md, section on traces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.placements.pareto import Pareto

RESOURCES: Final = ("cpu", "memory")
NODE: Final = (1000, 2**30)
REPLICAS: Final = (1, 2, 3)
_RATIO: Final = 0.8
REQUEST: Final = Pareto(0.05, 0.5, 1.057142)  # of a node; mean 0.125


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """So many equal pods of one tier."""

    name: str
    requests: tuple[int, int]
    tier: int
    replicas: int


def geometric(count: int, *, ratio: float = _RATIO) -> list[float]:
    """Return the probabilities of a truncated geometric distribution."""
    weights = [ratio**at for at in range(count)]
    return [weight / sum(weights) for weight in weights]


class Drawer:
    """Draws workloads one after the other; the most important tier is the rarest."""

    def __init__(self, chance: np.random.Generator, *, tiers: int) -> None:
        self._chance = chance
        self._tiers = geometric(tiers)[::-1]
        self._replicas = geometric(len(REPLICAS))
        self._count = 0

    def draw(self) -> Workload:
        """Draw the next workload."""
        cpu, memory = REQUEST.draw(self._chance, 2).tolist()
        self._count += 1
        return Workload(
            name=f"w{self._count}",
            requests=(round(cpu * NODE[0]), round(memory * NODE[1])),
            tier=self._pick(self._tiers),
            replicas=REPLICAS[self._pick(self._replicas)],
        )

    def _pick(self, probabilities: Sequence[float]) -> int:
        return int(self._chance.choice(len(probabilities), p=probabilities))
