"""Readings and saturation for tests of placement: one column, every node with the same age."""

from collections.abc import Mapping, Sequence

import numpy as np

from policies.buoyancy.saturation import Saturation, saturate
from policies.model.signals import Signals
from policies.values.signals import Freshness, Grid, ResourceReadings, SignalHistory
from tests.builders import NOW


def make_grid(values: Mapping[str, float], *, age: float = 10.0, verified: bool = True) -> Grid:
    """Return one column of fresh values by object."""
    shape = (len(values), 1)
    return Grid.of(
        tuple(values),
        values=np.array([*values.values()], dtype=np.float64).reshape(shape),
        states=np.full(shape, Freshness.FRESH, dtype=np.uint8),
        ages=np.full(shape, age),
        verified=verified,
    )


def make_history(
    scores: Mapping[str, Mapping[str, float]],
    *,
    age: float = 10.0,
    at: float = NOW,
    workloads: Mapping[str, float] | None = None,
) -> SignalHistory:
    """Return readings by node and resource; `workloads` is the use of cpu by workload."""
    resources = sorted({resource for by_resource in scores.values() for resource in by_resource})
    readings = {
        resource: ResourceReadings(
            node=make_grid({node: by[resource] for node, by in scores.items() if resource in by}, age=age),
            workload=make_grid(workloads) if workloads is not None and resource == "cpu" else None,
        )
        for resource in resources
    }
    return SignalHistory(times=np.array([at]), step=15.0, resources=readings)


def make_saturation(history: SignalHistory, signals: Signals, nodes: Sequence[str]) -> Saturation:
    """Return the saturation of the nodes."""
    return saturate(history, signals, nodes=nodes)
