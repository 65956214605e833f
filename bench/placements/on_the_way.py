"""Plans on the way to the last one, at the number of pods that a target asks for.

A price lets a plan go on where one more pod costs up to so much. What a target says of disruptions a pod is measured
where as many pods have a place as it asks for, and what the last plan has is told beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.placements.running import Outcome


@dataclass(frozen=True, slots=True)
class Plans:
    """One plan an instance: pods gained and disruptions of all of them."""

    gained: int
    disruptions: int

    @property
    def each(self) -> float:
        """Return the disruptions a pod."""
        return self.disruptions / max(1, self.gained)

    def __str__(self) -> str:
        return f"{self.gained} pods for {self.each:.1f} each"


def cheapest_with(outcomes: Sequence[Outcome], least: Sequence[int]) -> Plans | None:
    """Return the cheapest plans with at least so many pods gained in each instance; None where one had none."""
    gained = disruptions = 0
    for outcome, count in zip(outcomes, least, strict=True):
        point = outcome.at_count(count)
        if point is None or outcome.violations:
            return None
        gained += outcome.gained_at(point)
        disruptions += point.disruptions
    return Plans(gained, disruptions)
