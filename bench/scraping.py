"""A service's own metrics at two moments, and what happened between them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from launching.pages import Pages

_Key = tuple[str, frozenset[tuple[str, str]]]
_BOUND: Final = "le"


@dataclass(frozen=True, slots=True)
class Histogram:
    """Cumulative counts by upper bound."""

    counts: Mapping[float, float]

    def share_within(self, bound: float) -> float:
        """Return the share of observations up to a bound, which must be one of the histogram's; NaN without any."""
        total = self.counts[math.inf]
        return self.counts[bound] / total if total else math.nan

    def median(self) -> float:
        """Return the median, as if observations lay evenly within their bucket."""
        half, below, low = self.counts[math.inf] / 2, 0.0, 0.0
        for bound, count in sorted(self.counts.items()):
            if count >= half > below:
                return low + (bound - low) * (half - below) / (count - below)
            below, low = count, bound
        return math.nan

    def all_within(self) -> float:
        """Return the least bound that nothing exceeded."""
        return min(bound for bound, count in self.counts.items() if count == self.counts[math.inf])


@dataclass(frozen=True, slots=True)
class Scrape:
    """Samples by name and labels."""

    samples: Mapping[_Key, float]

    def since(self, earlier: "Scrape") -> "Scrape":
        """Return by how much each sample grew."""
        return Scrape({key: value - earlier.samples.get(key, 0.0) for key, value in self.samples.items()})

    def value(self, name: str, **labels: str) -> float:
        """Return one sample, 0 if there is none."""
        return self.samples.get((name, frozenset(labels.items())), 0.0)

    def by(self, label: str, name: str) -> dict[str, float]:
        """Return the samples of a name that have nothing but this label, by its value."""
        return {dict(labels)[label]: value for (found, labels), value in self.samples.items() if found == name}

    def histogram(self, name: str, **labels: str) -> Histogram:
        """Return one histogram."""
        wanted = labels.items()
        counts: dict[float, float] = {}
        for (found, pairs), value in self.samples.items():
            given = dict(pairs)
            if found == f"{name}_bucket" and wanted <= given.items():
                counts[float(given[_BOUND])] = value
        return Histogram(counts)


def scrape(pages: Pages) -> Scrape:
    """Read the metrics of a service."""
    return Scrape({(one.name, frozenset(one.labels.items())): one.value for one in pages.scrape()})
