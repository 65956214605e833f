"""Amounts of one contended resource in its own unit (cores, bytes, pieces) from Kubernetes' integers."""

import math

from policies.values.resources import CPU, Resources


def amount(resources: Resources, resource: str) -> float:
    """Return how much of a resource is declared: cores for `cpu`, base units otherwise; 0 where it is not named."""
    return resources[resource] / per_unit(resource)


def per_unit(resource: str) -> int:
    """Return how many of Kubernetes' integers make one unit of a resource: a core is 1000 milli-cores."""
    return 1000 if resource == CPU else 1


def capacity(allocatable: Resources, resource: str) -> float:
    """Return what a node has to share out, NaN where it declares none: nothing can be a share of nothing."""
    declared = amount(allocatable, resource)
    return declared if declared > 0 else math.nan


def capacity_ratio(source: Resources, destination: Resources, resource: str) -> float:
    """Return the capacity of the source in units of the destination's.

    A resource that nodes do not declare (memory bandwidth) is anchored alike on all of them: 1.
    """
    ratio = capacity(source, resource) / capacity(destination, resource)
    return ratio if math.isfinite(ratio) else 1.0
