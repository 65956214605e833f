"""A `SignalReader` that reads from a script: what nodes and pods take, what an indicator shows, how old it all is."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from policies.values.signals import Freshness, Grid, ResourceReadings, SignalHistory

At = Callable[[float], float | None]
"""A value over time; None where there is no series."""


@dataclass
class ScriptedSignals:
    """One resource, `cpu`, and any objectives. A number stands for a value that never changes.

    `nodes` and `pods` give use by `name` and `namespace/name`; `slos` an indicator's value by objective and pod.
    `failures` are queries that gave nothing: their grids are empty. `asked` records every call.
    """

    nodes: Mapping[str, float | At] = field(default_factory=dict)
    pods_use: Mapping[str, float | At] = field(default_factory=dict)
    slos: Mapping[str, Mapping[str, float | At]] = field(default_factory=dict)
    workloads_use: Mapping[str, float | At] = field(default_factory=dict)
    step: float = 15.0
    age: float = 5.0
    remembers: float = math.inf
    failed: Mapping[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def latest(self, at: float) -> SignalHistory:
        """Return one column."""
        return self.history(at, span=0.0)

    def history(self, at: float, *, span: float) -> SignalHistory:
        """Return as many columns as span and memory allow."""
        self.asked.append("history")
        columns = 1 + int(min(span, self.remembers) // self.step)
        times = at - self.step * np.arange(columns - 1, -1, -1, dtype=np.float64)
        node = Grid.empty(columns) if "cpu.node" in self.failed else self._grid(self.nodes, times)
        slos = {name: self._grid(rows, times) for name, rows in self.slos.items()}
        return SignalHistory(
            times=times,
            step=self.step,
            resources={"cpu": ResourceReadings(node=node)},
            slos=slos,
            failures=self.failed,
        )

    def pods(self, resource: str, at: float) -> Grid:
        """Return what each pod takes."""
        self.asked.append(f"pods {resource}")
        return self._grid(self.pods_use, np.array([at]))

    def workloads(self, resource: str, at: float) -> Grid:
        """Return what each workload uses; of one that is not in the script nothing is known."""
        self.asked.append(f"workloads {resource}")
        return self._grid(self.workloads_use, np.array([at]))

    def close(self) -> None:
        """Note that the reader was closed."""
        self.asked.append("close")

    def failures(self) -> Mapping[str, str]:
        """Return what failed."""
        return self.failed

    def _grid(self, rows: Mapping[str, float | At], times: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Grid:
        values = np.array([[_value(value, float(time)) for time in times] for value in rows.values()], dtype=np.float64)
        values = values.reshape(len(rows), len(times))
        states = np.where(np.isnan(values), np.uint8(Freshness.MISSING), np.uint8(Freshness.FRESH))
        states = np.where(self.age > 60, np.uint8(Freshness.STALE), states)
        ages = np.full(values.shape, self.age)
        return Grid.of(tuple(rows), values=values, states=states, ages=ages, verified=True)


def _value(value: float | At, time: float) -> float:
    seen = value(time) if callable(value) else value
    return math.nan if seen is None else seen


def demand(pods: Iterable[tuple[str, str, float]], *, cores: float = 4.0) -> ScriptedSignals:
    """Return signals of pods given as (`namespace/name`, node, cores used) on nodes of `cores`."""
    nodes: dict[str, float | At] = {}
    for _, node, used in pods:
        before = nodes.get(node, 0.0)
        nodes[node] = (before if isinstance(before, float) else 0.0) + used / cores
    return ScriptedSignals(nodes=nodes, pods_use={name: used for name, _, used in pods})
