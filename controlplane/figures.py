"""Made-up series as a Prometheus exposition: gauges, and counters that grow at a given rate; knows no metric names."""

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

# A real counter has a past. One that starts near zero would make rate() extrapolate less than it does in earnest.
START = 10_000.0
Labels = Mapping[str, str]
_Key = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class _Line:
    """A value that is `base` at `since` (Unix seconds) and grows by `rate` a second; a gauge has rate 0."""

    base: float
    rate: float
    since: float
    kind: str

    def at(self, moment: float) -> float:
        return self.base + self.rate * max(0.0, moment - self.since)


class Figures:
    """Series by name and labels. A counter whose rate changes goes on from where it is, as a real one does."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._series: dict[_Key, _Line] = {}
        self._lock = threading.Lock()

    def gauge(self, name: str, value: float, labels: Labels) -> None:
        """Set a gauge; NaN and infinities are exposed as such."""
        self._set(name, labels, _Line(value, 0.0, self._clock(), "gauge"))

    def counter(self, name: str, rate: float, labels: Labels) -> None:
        """Let a counter grow at `rate` a second from now on; a new one starts at `START`."""
        now = self._clock()
        with self._lock:
            before = self._series.get(_key(name, labels))
            base = START if before is None else before.at(now)
            self._series[_key(name, labels)] = _Line(base, rate, now, "counter")

    def drop(self, name: str | None = None, **labels: str) -> None:
        """Remove every series of this name (None: any) that has all these labels."""
        with self._lock:
            doomed = [key for key in self._series if name in (None, key[0]) and labels.items() <= dict(key[1]).items()]
            for key in doomed:
                del self._series[key]

    def exposition(self, moment: float) -> str:
        """Return all series as they stand at a moment, in the text format, grouped by name."""
        with self._lock:
            series = sorted(self._series.items())
        lines: list[str] = []
        previous = None
        for (name, labels), line in series:
            if name != previous:
                lines.append(f"# TYPE {name} {line.kind}")
                previous = name
            lines.append(f"{name}{_braces(labels)} {_number(line.at(moment))}")
        return "".join(line + "\n" for line in lines)

    def _set(self, name: str, labels: Labels, line: _Line) -> None:
        with self._lock:
            self._series[_key(name, labels)] = line


def _key(name: str, labels: Labels) -> _Key:
    return name, tuple(sorted(labels.items()))


def _braces(labels: tuple[tuple[str, str], ...]) -> str:
    pairs = ",".join(f'{name}="{_escape(value)}"' for name, value in labels)
    return f"{{{pairs}}}" if pairs else ""


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(value)
