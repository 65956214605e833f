"""The model of load: what pods want becomes what nodes and pods would measure. Pure; knows no Prometheus, no Bayplan.

A node shares its CPUs in proportion to what its pods want. Tasks begin to wait before the CPUs are all busy, and a
service answers the more slowly the busier its node is.
"""

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

CPUS: Final = 8
# Seconds that all but the slowest hundredth of requests take on an idle node.
SERVICE_SECONDS: Final = 0.03
# How much faster the slowest requests get slower than the average ones, which wait as 1 / (1 - use).
_TAIL: Final = 1.5
# The busiest that a node gets for queueing: it keeps the latency of a drowned service finite.
_BUSIEST: Final = 0.97
# From this demand on tasks wait for a CPU, by twice the excess. Made up, but of a real machine's shape.
_WAITING_FROM: Final = 0.85
_WAITING_SLOPE: Final = 2.0
# Nothing real stands still: demand sways by this share, each pod with a rhythm of its own.
_SWAY: Final = 0.04


@dataclass(frozen=True, slots=True)
class Pod:
    """A running pod: its name, the workload it belongs to, and its node."""

    name: str
    workload: str
    node: str


@dataclass(frozen=True, slots=True)
class NodeLoad:
    """A node on which `wanted` cores are wanted by its pods."""

    wanted: float

    @property
    def ratio(self) -> float:
        """What is wanted as a share of what there is; more than 1 when oversubscribed."""
        return self.wanted / CPUS

    @property
    def use(self) -> float:
        """Share of time in which a CPU is busy."""
        return min(1.0, self.ratio)

    @property
    def pressure(self) -> float:
        """Share of time in which some task waits for a CPU (PSI `some`)."""
        return min(1.0, max(0.0, _WAITING_SLOPE * (self.ratio - _WAITING_FROM)))

    @property
    def latency(self) -> float:
        """Seconds within which 99 of 100 requests to a service are answered here: they queue for a busy server."""
        return float(SERVICE_SECONDS / (1.0 - min(_BUSIEST, self.ratio)) ** _TAIL)

    def granted(self, cores: float) -> float:
        """Return what a pod gets that wants so many cores."""
        return cores / max(1.0, self.ratio)


def sway(pod: str, moment: float) -> float:
    """Return the factor on a pod's demand at a moment (Unix seconds), close to 1."""
    seed = zlib.crc32(pod.encode())
    period = 20.0 + seed % 20
    return 1.0 + _SWAY * math.sin(2 * math.pi * (moment / period + seed / 1000 % 1))


def by_node(demand: Mapping[Pod, float]) -> dict[str, NodeLoad]:
    """Return the load of every node that has pods, from the cores that each pod wants."""
    wanted: dict[str, float] = {}
    for pod, cores in demand.items():
        wanted[pod.node] = wanted.get(pod.node, 0.0) + cores
    return {node: NodeLoad(cores) for node, cores in wanted.items()}
