"""Every instance of the benchmark by name and seed; makes problems, solves none.

Names: `16x1`, `32x4` (made snapshots: nodes x tiers), `apart-1500x4` (the same with an anti-affinity and a budget for
each workload), `trace-32x4` (moments of the published traces, seeds 0 to 4), `bytedance-43-98` (hosts, demand in
percent), `openb-whole-95` and `openb-parts-95` (GPU demand in percent), `mixed` (constraints of every kind).
"""

import re
from functools import cache
from typing import Final

from bench.placements import apart, bytedance, mixed, openb, snapshots, traces
from descheduler.optimiser.problem import Problem

SEEDS: Final = (11, 12, 13, 14, 15)
"""The seeds of the tables; nothing was tuned on them."""

_SNAPSHOT: Final = re.compile(r"(\d+)x(\d+)")
_APART: Final = re.compile(r"apart-(\d+)x(\d+)")
_TRACE: Final = re.compile(r"trace-(\d+)x(\d+)")
_BYTEDANCE: Final = re.compile(r"bytedance-(\d+)-(\d+)")
_OPENB: Final = re.compile(r"openb-(whole|parts)-(\d+)")


class UnknownCase(ValueError):  # noqa: N818  # it says what the name is
    """A name that stands for no instance; the text says what names there are."""


def problem(name: str, seed: int) -> Problem:
    """Return an instance.

    Raises:
        Missing: its data set is not here.
        UnknownCase: there is none of this name.
    """
    if name == "mixed":
        return mixed.mixed(seed)
    if found := _SNAPSHOT.fullmatch(name):
        return snapshots.snapshot(snapshots.Cell(nodes=int(found[1]), tiers=int(found[2])), seed)
    if found := _APART.fullmatch(name):
        return apart.apart(snapshots.Cell(nodes=int(found[1]), tiers=int(found[2])), seed)
    if found := _TRACE.fullmatch(name):
        shape = traces.Shape(nodes=int(found[1]), tiers=int(found[2]))
        return traces.snapshot(shape, traces.SEEDS[seed % len(traces.SEEDS)])
    if found := _BYTEDANCE.fullmatch(name):
        return bytedance.repair(_machines(int(found[1])), demand=int(found[2]) / 100, seed=seed)
    if found := _OPENB.fullmatch(name):
        return openb.packing(_gpus(whole=found[1] == "whole"), demand=int(found[2]) / 100, seed=seed)
    raise UnknownCase(f"{name!r} is no instance; {(__doc__ or '').partition('Names: ')[2].strip()}")


@cache
def _machines(hosts: int) -> bytedance.Machines:
    return bytedance.recorded(hosts)


@cache
def _gpus(*, whole: bool) -> openb.Cluster:
    return openb.recorded(whole=whole)
