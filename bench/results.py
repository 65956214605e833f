"""What a row found, and the table of all rows as Markdown; measures nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table. `ratio` compares with a reference in the same run, where there is one."""

    row: str
    what: str
    target: str
    seen: str
    met: bool
    ratio: str = ""
    remarks: str = ""


@dataclass(frozen=True, slots=True)
class Spread:
    """A sample of durations in seconds."""

    values: Sequence[float]

    def at(self, percent: float) -> float:
        """Return a percentile, the nearest sample at or above it: never better than what was seen."""
        return float(np.percentile(self.values, percent, method="higher"))

    @property
    def largest(self) -> float:
        """Return the largest."""
        return max(self.values)

    def __str__(self) -> str:
        parts = [f"p{percent} {self.at(percent) * 1e3:.1f}" for percent in (50, 90, 99)]
        return ", ".join([*parts, f"max {self.largest * 1e3:.1f} ms"])


def table(results: Iterable[Result]) -> str:
    """Return the table."""
    head = ["row", "what", "target", "seen", "ratio", "met", "remarks"]
    lines = [head, ["---"] * len(head)]
    lines += [
        [f"`{one.row}`", one.what, one.target, one.seen, one.ratio, "yes" if one.met else "**no**", one.remarks]
        for one in results
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def facts(values: Mapping[str, str]) -> str:
    """Return what stands beside the table."""
    return "".join(f"* {name}: {value}\n" for name, value in values.items())
