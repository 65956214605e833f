"""What a unit of each resource is worth on each node: the multipliers that make the bound of its knapsack lowest."""

from typing import Final

import numpy as np

from descheduler.optimiser.columns.loads import Floats, Loads

_ROUNDS: Final = 6  # over all resources; what is left to gain after that is little


def multipliers(loads: Loads, values: Floats, start: Floats) -> Floats:
    """Return multipliers by node and resource: any are valid, these are close to the best, resource by resource."""
    found = start.copy()
    for _ in range(_ROUNDS):
        for resource in range(found.shape[1]):
            found[:, resource] = _best(loads, values, found, resource)
    return found


def _best(loads: Loads, values: Floats, found: Floats, resource: int) -> Floats:
    """Return the best multiplier of one resource beside the others: the worth of the item that no longer fits whole."""
    others = found.copy()
    others[:, resource] = 0.0
    worth = values - others @ loads.share.T
    share = loads.share[:, resource]
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(loads.allowed & (worth > 0), worth / share, -np.inf)
    each[:, share <= 0] = -np.inf
    order = np.argsort(-each, axis=1, kind="stable")
    sorted_each = np.take_along_axis(each, order, axis=1)
    taken = np.cumsum(np.where(sorted_each > -np.inf, share[order], 0.0), axis=1)
    over = taken > loads.left[:, resource][:, None]
    first = over.argmax(axis=1)
    critical = sorted_each[np.arange(len(first)), first]
    return np.where(over.any(axis=1), np.maximum(critical, 0.0), 0.0)
