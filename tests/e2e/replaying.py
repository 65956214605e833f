"""Expositions of `expositions/` played into a real Prometheus: two scrapes of an exporter, carried on at their pace.

The samples have timestamps, as those of cAdvisor do, so that minutes of history come with the first scrape.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).with_name("expositions")
_SAMPLE = re.compile(r"^(\w+\{.*\}) (\S+) (\d+)$", re.MULTILINE)
_QUOTED = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, slots=True)
class _Counter:
    """A running total: `value` in the first scrape, `growth` until the second."""

    series: str
    value: float
    growth: float


class Replay:
    """Plays the recording of one exporter; `history` seconds of it come first.

    `names` replaces label values: the recording's nodes and namespace by those of a test.
    """

    def __init__(self, exporter: str, *, names: Mapping[str, str], history: float) -> None:
        first, second = (_scrape(exporter, number) for number in (1, 2))
        self._counters = [
            _Counter(_renamed(series, names), value, second[series][0] - value) for series, (value, _) in first.items()
        ]
        self._step = next(second[series][1] - at for series, (_, at) in first.items())
        self._history = history
        self._origin: float | None = None
        self._given = -1

    def exposition(self, at: float) -> str:
        """Return the samples that are new at a moment; each is given once, as a scrape must not repeat old ones.

        They come one step ahead: a scrape that is a little late on a busy machine must not open a gap in the recording.
        """
        if self._origin is None:
            self._origin = at - self._history
        newest = int((at - self._origin) / self._step) + 1
        numbers = range(self._given + 1, newest + 1)
        self._given = newest
        return "".join(f"{line}\n" for counter in self._counters for line in self._lines(counter, numbers))

    def _lines(self, counter: _Counter, numbers: range) -> Iterator[str]:
        for number in numbers:
            moment = (self._origin or 0.0) + number * self._step
            yield f"{counter.series} {counter.value + number * counter.growth!r} {int(moment * 1000)}"


def _scrape(exporter: str, number: int) -> dict[str, tuple[float, float]]:
    """Return value and time (s) of every series of one scrape, by name and labels as they are written."""
    found = _SAMPLE.findall((_FOLDER / f"{exporter}-{number}.prom").read_text())
    return {series: (float(value), int(milliseconds) / 1000) for series, value, milliseconds in found}


def _renamed(series: str, names: Mapping[str, str]) -> str:
    def new(match: re.Match[str]) -> str:
        host, colon, port = match[1].partition(":")
        return f'"{names.get(host, host)}{colon}{port}"'

    return _QUOTED.sub(new, series)
