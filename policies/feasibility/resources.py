"""Requests must fit into what the node can allocate minus what its pods request, pod slots and extended resources too.

By requests, not by use: a node that looks empty may have no room.
"""

from collections.abc import Iterator

import numpy as np

from policies.feasibility.occupancy import Occupancy
from policies.feasibility.predicate import Closure, Predicate
from policies.values.pods import Pod
from policies.values.resources import PODS


def closures(pod: Pod, occupancy: Occupancy) -> Iterator[Closure]:
    """Yield the nodes with too little left: first those full by planned moves only, then by resource, by name."""
    wanted = {name: amount for name, amount in sorted(pod.requests.amounts.items()) if amount > 0}
    lacking = {name: occupancy.free(name) < amount for name, amount in wanted.items()}
    if not any(rows.any() for rows in lacking.values()):
        return
    without = [occupancy.free(name) + occupancy.planned(name) < amount for name, amount in wanted.items()]
    planned = np.logical_or.reduce(list(lacking.values())) & ~np.logical_or.reduce(without)
    yield Closure("capacity used by planned moves", planned)
    for name, rows in lacking.items():
        yield Closure("no free pod slot" if name == PODS else f"not enough {name}", rows)


RESOURCES = Predicate("resources", closures)
