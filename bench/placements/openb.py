"""Packing problems out of an Alibaba GPU cluster (openb): its nodes, and its pods in an order drawn by seed.

Data: hkust-adsl/kubernetes-scheduler-simulator (cluster-trace-gpu-v2023), Apache-2.0; read where it is, not shipped.
Pods come until the demand for GPUs reaches a target; each goes to the emptiest fitting node as the default scheduler
would put it, or is pending. With `whole` every pod that asks for a part of a GPU takes a whole one. Otherwise the parts
are thousandths that the problem adds up by node: a relaxation, as a part has to fit one device (`devices`).
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.placements import places
from bench.placements.devices import WHOLE
from descheduler.optimiser.problem import Item, Problem, Site

RESOURCES: Final = ("cpu", "memory", "nvidia.com/gpu")
GPU: Final = 2
_MIB: Final = 2**20
_TIERS: Final = {"LS": 0, "Guaranteed": 0, "Burstable": 1, "BE": 2}
Amounts = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Nodes with their amounts (GPUs in thousandths), pods with their amounts and tier, by name."""

    nodes: Mapping[str, Amounts]
    pods: Mapping[str, tuple[Amounts, int]]


def recorded(*, whole: bool) -> Cluster:
    """Read the cluster.

    Raises:
        Missing: one of its files is not here.
    """
    nodes = {row["sn"]: _amounts(row, gpus=int(row["gpu"]) * WHOLE) for row in _rows("openb_nodes.csv")}
    pods = {
        row["name"]: (_amounts(row, gpus=_gpus(row, whole=whole)), _TIERS[row["qos"]])
        for row in _rows("openb_pods.csv")
    }
    return Cluster(nodes=nodes, pods=pods)


def packing(cluster: Cluster, *, demand: float, seed: int) -> Problem:
    """Return the problem once the pods that came ask for this share of all GPUs, or once all have come."""
    names = [*cluster.pods]
    order = np.random.default_rng(seed).permutation(len(names)).tolist()
    stock = _Stock(np.array([*cluster.nodes.values()], np.int64))
    target = demand * sum(amounts[GPU] for amounts in cluster.nodes.values())
    items: list[Item] = []
    asked = 0
    for at in order:
        amounts, tier = cluster.pods[names[at]]
        if asked + amounts[GPU] > target:
            break
        asked += amounts[GPU]
        items.append(
            Item(key=names[at], requests=amounts, tier=tier, eligible=0, node=stock.place(amounts), owner=str(amounts))
        )
    sites = tuple(Site(name=name, room=amounts, allocatable=amounts) for name, amounts in cluster.nodes.items())
    eligibility = (tuple(range(len(sites))),)
    return Problem(resources=RESOURCES, sites=sites, items=tuple(items), eligibility=eligibility, tiers=3)


class _Stock:
    """What is free, by node and by device."""

    def __init__(self, capacity: NDArray[np.int64]) -> None:
        self._capacity = np.maximum(capacity, 1)
        self._free = capacity.copy()
        self._devices: list[list[int]] = [[WHOLE] * (gpus // WHOLE) for gpus in capacity[:, GPU].tolist()]
        self._largest = np.where(capacity[:, GPU] > 0, WHOLE, 0)
        self._whole = capacity[:, GPU] // WHOLE

    def place(self, amounts: Amounts) -> int | None:
        """Put a pod on the fitting node with the largest free share of CPU and memory after it."""
        left = self._free - np.array(amounts, np.int64)
        fits = (left >= 0).all(axis=1)
        if 0 < amounts[GPU] < WHOLE:
            fits &= self._largest >= amounts[GPU]
        else:
            fits &= self._whole >= amounts[GPU] // WHOLE
        if not fits.any():
            return None
        shares = (left[:, :GPU] / self._capacity[:, :GPU]).sum(axis=1)
        node = int(np.argmax(np.where(fits, shares, -np.inf)))
        self._free[node] = left[node]
        self._take(node, amounts[GPU])
        return node

    def _take(self, node: int, wanted: int) -> None:
        devices = self._devices[node]
        for _ in range(wanted // WHOLE):
            devices.remove(WHOLE)
            devices.append(0)
        if part := wanted % WHOLE:
            rest = min(rest for rest in devices if rest >= part)
            devices[devices.index(rest)] = rest - part
        self._largest[node] = max(devices, default=0)
        self._whole[node] = devices.count(WHOLE)


def _gpus(row: Mapping[str, str], *, whole: bool) -> int:
    return int(row["num_gpu"]) * (WHOLE if whole else int(row["gpu_milli"]))


def _amounts(row: Mapping[str, str], *, gpus: int) -> Amounts:
    return int(row["cpu_milli"]), int(row["memory_mib"]) * _MIB, gpus


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with places.file(name).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)
