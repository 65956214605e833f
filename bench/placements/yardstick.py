"""How fast this machine is at what the optimiser does most: a model of a million booleans, built for its own sake.

It took 1.14 s where the targets come from. What is measured here is time of the processor, so that a neighbour on the
machine does not count.
"""

import time
from typing import Final

from ortools.sat.python import cp_model

REFERENCE: Final = 1.14
PODS: Final = 5_050
NODES: Final = 200
_ROOM: Final = 1_000


def build() -> cp_model.CpModel:
    """Build a placement model of a boolean for each pod and node: one place a pod, one capacity row a node."""
    model = cp_model.CpModel()
    proto = model.proto
    variables = proto.variables
    for _ in range(PODS * NODES):
        variables.add().domain.extend([0, 1])
    for pod in range(PODS):
        proto.constraints.add().exactly_one.literals.extend(range(pod * NODES, (pod + 1) * NODES))
    sizes = [1 + pod % 97 for pod in range(PODS)]
    for node in range(NODES):
        row = proto.constraints.add().linear
        row.vars.extend(range(node, PODS * NODES, NODES))
        row.coeffs.extend(sizes)
        row.domain.extend([0, _ROOM])
    return model


def measure(times: int = 3) -> float:
    """Return the seconds that the build takes, the best of some."""
    found = []
    for _ in range(times):
        began = time.thread_time()
        build()
        found.append(time.thread_time() - began)
    return min(found)
