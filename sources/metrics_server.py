"""metrics-server behind the same port as Prometheus: plain CPU and memory use, with a history in memory.

Node values are shares of allocatable, pod values cores and bytes. What was measured before the first call is not
known, and there are no workloads, pressures or objectives. It computes no score.
"""

import math
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from policies.model.policy import Policy
from policies.values.quantities import parse_quantity
from policies.values.resources import CPU
from policies.values.signals import Floats, Freshness, Grid, ResourceReadings, SignalHistory
from sources.kube.api import KubeApi
from sources.kube.decoding.times import unix_seconds
from sources.kube.decoding.tolerant import MalformedObject, tolerant
from sources.kube.errors import ApiError
from sources.kube.listing import list_raw
from sources.signals.reader import Inventories
from sources.signals.troubles import Troubles

NODES_PATH: Final = "/apis/metrics.k8s.io/v1beta1/nodes"
PODS_PATH: Final = "/apis/metrics.k8s.io/v1beta1/pods"
_NODES: Final = "metrics-server nodes"
_PODS: Final = "metrics-server pods"
_MILLI: Final = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What one object used at one moment: cores and bytes by resource name."""

    name: str
    at: float
    amounts: Mapping[str, float] = field(default_factory=dict)


class _Past:
    """The samples of one node, oldest first."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._uses: list[Use] = []

    def add(self, use: Use, *, keep_from: float) -> None:
        """Take a sample unless it is known already; forget what no evaluation since `keep_from` could ask for."""
        if not self._times or use.at > self._times[-1]:
            self._times.append(use.at)
            self._uses.append(use)
        forgotten = max(0, bisect_right(self._times, keep_from) - 1)
        del self._times[:forgotten]
        del self._uses[:forgotten]

    def before(self, moment: float) -> Use | None:
        """Return the newest sample that existed at a moment."""
        at = bisect_right(self._times, moment)
        return self._uses[at - 1] if at else None


class MetricsServerReader:
    """Implements `SignalReader`; safe to use from several threads."""

    def __init__(self, policy: Policy, api: KubeApi, inventory: Inventories) -> None:
        self._policy = policy
        self._api = api
        self._inventory = inventory
        self._troubles = Troubles()
        self._past: dict[str, _Past] = {}
        self._lock = threading.Lock()

    def latest(self, at: float) -> SignalHistory:
        """Return one column of nodes."""
        return self.history(at, span=0.0)

    def history(self, at: float, *, span: float) -> SignalHistory:
        """Return nodes over a span, as far as they were seen by earlier calls."""
        self._look(at)
        step = self._policy.signals.step
        times = at - step * np.arange(int(span / step + 1e-9), -1, -1, dtype=np.float64)
        resources = {name: ResourceReadings(node=self._nodes(name, times)) for name in self._policy.signals.resources}
        return SignalHistory(times=times, step=step, resources=resources, failures=self.failures())

    def pods(self, resource: str, at: float) -> Grid:
        """Return what live pods take of one resource, in cores or bytes."""
        live = self._inventory().pods
        used = {use.name: use for use in self._read(PODS_PATH, _PODS, _pod_use) if live is None or use.name in live}
        rows = [(use.amounts.get(resource, math.nan), at - use.at) for use in used.values()]
        return self._grid(tuple(used), np.array(rows, np.float64).reshape(len(used), 1, 2))

    def workloads(self, resource: str, at: float) -> Grid:  # noqa: ARG002  # the port's signature
        """Return nothing: metrics-server knows no workloads, so that a pod is taken to use what it requests."""
        return Grid.empty()

    def failures(self) -> dict[str, str]:
        """Return the trouble of each list."""
        return dict(self._troubles.now())

    def close(self) -> None:
        """Nothing is held open."""

    def _look(self, at: float) -> None:
        uses = self._read(NODES_PATH, _NODES, _node_use)
        keep_from = at - self._policy.history_span - self._policy.signals.step
        with self._lock:
            for use in uses:
                self._past.setdefault(use.name, _Past()).add(use, keep_from=keep_from)
            for name in self._past.keys() - self._inventory().nodes.keys():
                del self._past[name]

    def _nodes(self, resource: str, times: Floats) -> Grid:
        nodes = self._inventory().nodes
        with self._lock:
            names = tuple(name for name in self._past if name in nodes)
            rows = [
                [_share(self._past[name], resource, moment, nodes[name].allocatable[resource]) for moment in times]
                for name in names
            ]
        return self._grid(names, np.array(rows, np.float64).reshape(len(names), len(times), 2))

    def _grid(self, names: tuple[str, ...], cells: Floats) -> Grid:
        """Return a grid of cells that hold value and age; metrics-server always tells the age."""
        values, ages = cells[..., 0], cells[..., 1]
        states = np.full(values.shape, Freshness.MISSING, np.uint8)
        states[~np.isnan(ages)] = Freshness.NAN
        finite = np.isfinite(values)
        states[finite] = Freshness.FRESH
        states[finite & (np.abs(ages) > self._policy.signals.stale_after)] = Freshness.STALE
        return Grid.of(names, values=values, states=states, ages=ages, verified=True)

    def _read(self, path: str, name: str, decode: Callable[[Mapping[str, Any]], Use]) -> list[Use]:
        try:
            items = list_raw(self._api, path).items
        except ApiError as problem:
            self._troubles.tell(name, str(problem))
            return []
        uses, malformed = _decoded(items, decode)
        self._troubles.tell(name, f"{len(malformed)} malformed: {malformed[0]}" if malformed else None)
        return uses


def _decoded(items: Iterable[object], decode: Callable[[Mapping[str, Any]], Use]) -> tuple[list[Use], list[str]]:
    uses: list[Use] = []
    malformed: list[str] = []
    for raw in items:
        try:
            uses.append(tolerant(decode, raw))
        except MalformedObject as problem:
            malformed.append(str(problem))
    return uses, malformed


def _node_use(raw: Mapping[str, Any]) -> Use:
    return Use(name=raw["metadata"]["name"], at=unix_seconds(raw["timestamp"]), amounts=_amounts(raw["usage"]))


def _pod_use(raw: Mapping[str, Any]) -> Use:
    metadata = raw["metadata"]
    totals: dict[str, float] = {}
    for container in raw["containers"]:
        for name, amount in _amounts(container["usage"]).items():
            totals[name] = totals.get(name, 0.0) + amount
    return Use(name=f"{metadata['namespace']}/{metadata['name']}", at=unix_seconds(raw["timestamp"]), amounts=totals)


def _amounts(usage: Mapping[str, str]) -> dict[str, float]:
    return {name: float(parse_quantity(text)) for name, text in usage.items()}


def _share(past: _Past, resource: str, moment: float, allocatable: int) -> tuple[float, float]:
    """Return the share in use and the age of the sample; a node that allocates nothing has no share."""
    use = past.before(moment)
    if use is None:
        return math.nan, math.nan
    capacity = allocatable / _MILLI if resource == CPU else float(allocatable)
    used = use.amounts.get(resource, math.nan)
    return (used / capacity if capacity > 0 else math.nan), moment - use.at
