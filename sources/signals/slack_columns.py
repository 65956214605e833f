"""The recent samples of one objective's pods, a column per poll, folded to the least average slack of each node.

It keeps as many columns as an average may reach back; the formulas are those of `policies.buoyancy`.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from policies.buoyancy.averages import samples_kept
from policies.buoyancy.soft_limit import Samples, SoftLimit, judge
from policies.values.signals import Floats


class SlackColumns:
    """Samples of pods by name. Rows of pods that have gone are used again."""

    def __init__(self, limit: SoftLimit, *, step: float) -> None:
        self._limit = limit
        self._step = step
        self._times = np.full(samples_kept(limit.window, step), -math.inf)
        self._row: dict[str, int] = {}
        self._node: list[str | None] = []
        self._free: list[int] = []
        self._since: Floats = np.empty(0)
        self._values: Floats = np.empty((0, len(self._times)))

    def __contains__(self, pod: object) -> bool:
        return pod in self._row

    def __len__(self) -> int:
        return len(self._row)

    def __iter__(self) -> Iterator[str]:
        return iter(self._row)

    def place(self, pod: str, node: str, since: float | None) -> None:
        """Take up a pod, or note where it stands now; its samples count from `since`, None not at all."""
        row = self._row.get(pod)
        if row is None:
            row = self._row[pod] = self._free.pop() if self._free else self._grown()
            self._values[row] = np.nan
        self._node[row] = node
        self._since[row] = math.inf if since is None else since

    def remove(self, pod: str) -> None:
        """Forget a pod."""
        row = self._row.pop(pod, None)
        if row is not None:
            self._node[row] = None
            self._free.append(row)

    def advance(self, at: float) -> None:
        """Begin the column of a poll; polls that were missed leave empty columns, an early one replaces the last."""
        steps = round((at - float(self._times[-1])) / self._step) if math.isfinite(self._times[-1]) else 1
        shift = min(max(steps, 0), len(self._times))
        if shift:
            self._values = np.roll(self._values, -shift, axis=1)
            self._times = np.roll(self._times, -shift)
            self._times[-shift:] = at - self._step * np.arange(shift - 1, -1, -1)
        self._values[:, -max(shift, 1) :] = np.nan
        self._times[-1] = at

    def fill(self, values: Mapping[str, float]) -> None:
        """Put fresh values into the newest column; names that are not placed are ignored."""
        known = [(self._row[pod], value) for pod, value in values.items() if pod in self._row]
        if known:
            rows, numbers = zip(*known, strict=True)
            self._values[list(rows), -1] = numbers

    def least(self) -> dict[str, float]:
        """Return the least known average slack by node."""
        samples = Samples(
            values=self._values,
            times=self._times,
            step=self._step,
            since=self._since,
            judged_from=np.full(len(self._since), -math.inf),
        )
        averages = judge(samples, self._limit).average
        found: dict[str, float] = {}
        for row in np.flatnonzero(np.isfinite(averages)):
            node, average = self._node[row], float(averages[row])
            if node is not None and average < found.get(node, math.inf):
                found[node] = average
        return found

    def _grown(self) -> int:
        """Return a new row; room grows by halves, so that 150,000 pods cost few copies."""
        row = len(self._node)
        self._node.append(None)
        if row >= len(self._since):
            room = max(64, len(self._since) // 2)
            self._since = np.concatenate([self._since, np.full(room, math.inf)])
            self._values = np.concatenate([self._values, np.full((room, len(self._times)), np.nan)])
        return row
