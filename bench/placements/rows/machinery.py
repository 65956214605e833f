"""Row `machinery`: how long the resident worker takes to stop, and this machine to build a model."""

import math
import time
from collections.abc import Iterator
from typing import Final

from bench.placements import cases, yardstick
from bench.placements.lab import Lab, Setup
from bench.results import Result
from descheduler.optimiser.resident import ResidentSolver

_LONGEST_BUILD: Final = 1.5
_LONGEST_STOP: Final = 0.1
_CANCELLED: Final = (("32x4", 1.5), ("100x4", 0.3), ("100x4", 2.0), ("500x4", 1.0), ("1000x4", 3.0))


def measure(lab: Lab) -> Iterator[Result]:
    """Yield the build and the cancel."""
    seconds = lab.factor * yardstick.REFERENCE
    yield Result(
        row="machinery",
        what=f"a model of {yardstick.PODS * yardstick.NODES / 1e6:.2f} million booleans, built",
        target="≤ 1.5 s a million",
        seen=f"{seconds:.2f} s",
        ratio=f"{lab.factor:.2f}",
        met=seconds / (yardstick.PODS * yardstick.NODES / 1e6) <= _LONGEST_BUILD,
        remarks="processor time; the ratio is this machine's factor: all limits and times below are scaled by it",
    )
    stops = [stop for stop in _stops(lab) if stop is not None]
    yield Result(
        row="machinery",
        what="a solve in the resident worker, cancelled",
        target="≤ 100 ms",
        seen=f"{max(stops, default=math.inf) * 1e3:.0f} ms",
        met=max(stops, default=math.inf) <= _LONGEST_STOP,
        remarks=", ".join(f"{stop * 1e3:.0f}" for stop in stops) + " ms, with 32 to 1,000 nodes",
    )


def _stops(lab: Lab) -> Iterator[float | None]:
    """Yield how long each answer took after it was asked to stop, None where it had ended before."""
    solver = ResidentSolver("bayplan")
    try:
        for name, after in _CANCELLED:
            instance, stop = lab.instance(name, cases.SEEDS[0]), _Stop(after)
            solver.solve(instance.problem, lab.options(Setup(seconds=20.0)), stop)
            yield stop.waited()
    finally:
        solver.close()


class _Stop:
    """Asks for the end after some seconds, counted from the first time that somebody looks."""

    def __init__(self, after: float) -> None:
        self._after = after
        self._began: float | None = None

    def is_set(self) -> bool:
        """Return whether the time has come."""
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        return now >= self._began + self._after

    def waited(self) -> float | None:
        """Return how long ago that was, None where it is still to come."""
        if self._began is None or not self.is_set():
            return None
        return time.monotonic() - self._began - self._after
