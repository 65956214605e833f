"""Repair problems out of two real clusters of virtual machines, overfilled with copies of their own machines by seed.

Data: bytedance/DRL-based-VM-Rescheduling, Apache-2.0; see data/NOTICE.md. A machine asks for the sum over its NUMA
entries; a host has what is used and what is free. One tier, and every machine may go to any host.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import orjson

from bench.placements import places
from descheduler.optimiser.problem import Item, Problem, Site

RESOURCES: Final = ("cpu", "memory")
SMALL: Final = 43
LARGE: Final = 236
_FILES: Final = {SMALL: "bytedance_43_hosts.json", LARGE: "bytedance_vm_snapshots.json"}
_CORE: Final = 1000
_MIB: Final = 2**20
Amounts = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """A cluster as it was recorded: hosts with their capacity, machines with what they ask for and their host."""

    hosts: Mapping[str, Amounts]
    machines: Mapping[str, tuple[Amounts, int]]


def recorded(hosts: int) -> Machines:
    """Read one of the clusters by its number of hosts.

    Raises:
        Missing: its file is not here.
    """
    clusters = orjson.loads(places.file(_FILES[hosts]).read_bytes())["cluster_list"]
    return read(next(one for one in clusters if len(one["host_info"]) == hosts))


def read(cluster: Mapping[str, Any]) -> Machines:
    """Read a cluster's hosts and machines in the order of the file."""
    rank = {host["node_id"]: at for at, host in enumerate(cluster["host_info"])}
    machines = {
        one["instance_id"]: (_amounts(one["numa"], cpu="cpu", memory="mem_mb"), rank[one["host_id"]])
        for one in cluster["vm_instance"]
    }
    used = np.zeros((len(rank), 2), np.int64)
    for amounts, host in machines.values():
        used[host] += amounts
    free = [_amounts(one["numa"], cpu="free_cpu", memory="memory_huge_free_mb") for one in cluster["host_info"]]
    capacity = (used + np.array(free, np.int64)).tolist()
    return Machines(hosts={name: tuple(capacity[at]) for name, at in rank.items()}, machines=machines)


def repair(recorded: Machines, *, demand: float, seed: int) -> Problem:
    """Return the cluster after arrivals up to a demand: each in turn to the emptiest fitting host, else it is pending.

    Arrivals are drawn from the cluster's own machines until the larger of CPU and memory asked for reaches `demand`.
    """
    chance = np.random.default_rng(seed)
    capacity = np.array([*recorded.hosts.values()], np.int64)
    free = capacity.copy()
    pool = [amounts for amounts, _ in recorded.machines.values()]
    for amounts, host in recorded.machines.values():
        free[host] -= amounts
    asked = np.array(pool, np.int64).sum(axis=0)
    total = capacity.sum(axis=0)
    items = [_item(name, amounts, host) for name, (amounts, host) in recorded.machines.items()]
    while (asked / total).max() < demand:
        amounts = pool[int(chance.integers(len(pool)))]
        asked += amounts
        place = _emptiest(free, capacity, amounts)
        if place is not None:
            free[place] -= amounts
        items.append(_item(f"arrival_{len(items) - len(pool)}", amounts, place))
    sites = tuple(Site(name=name, room=amounts, allocatable=amounts) for name, amounts in recorded.hosts.items())
    return Problem(
        resources=RESOURCES, sites=sites, items=tuple(items), eligibility=(tuple(range(len(sites))),), tiers=1
    )


def _emptiest(free: "np.ndarray[Any, Any]", capacity: "np.ndarray[Any, Any]", amounts: Amounts) -> int | None:
    """Return the fitting host with the largest summed free share once the machine is there; the first of equals."""
    left = free - np.array(amounts, np.int64)
    fits = (left >= 0).all(axis=1)
    if not fits.any():
        return None
    return int(np.argmax(np.where(fits, (left / capacity).sum(axis=1), -np.inf)))


def _item(name: str, amounts: Amounts, host: int | None) -> Item:
    return Item(key=name, requests=amounts, tier=0, eligible=0, node=host)


def _amounts(entries: Sequence[Mapping[str, Any]], *, cpu: str, memory: str) -> Amounts:
    cores, mebibytes = sum(one[cpu] for one in entries), sum(one[memory] for one in entries)
    return round(cores * _CORE), round(mebibytes * _MIB)
