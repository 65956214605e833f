"""PodDisruptionBudgets by an arithmetic of our own: who is under one, and how many must stay healthy.

It reads the specification only, never what the disruption controller wrote into the status.
"""

import math
from collections.abc import Mapping
from typing import Any

from controlplane.objects import Object
from controlplane.replaying import State, is_healthy

_WHOLE = 100


def covers(budget: Object, pod: Object) -> bool:
    """Return whether a budget is about a pod."""
    selector = budget["spec"].get("selector")
    labels: Mapping[str, str] = pod["metadata"].get("labels") or {}
    return selector is not None and matches(selector, labels)


def matches(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Return whether labels fulfil a label selector; an empty one is fulfilled by all."""
    wanted: Mapping[str, str] = selector.get("matchLabels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(_holds(one, labels) for one in selector.get("matchExpressions") or ())


def _holds(one: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = one["key"], one.get("values") or ()
    match one["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    raise ValueError(f"a selector has the operator {one['operator']!r}; known are In, NotIn, Exists, DoesNotExist")


def healthy(budget: Object, state: State, *, without: frozenset[str] = frozenset()) -> int:
    """Return how many pods under a budget are healthy, those named left out."""
    pods = state.of("Pod", budget["metadata"]["namespace"])
    return sum(covers(budget, pod) and is_healthy(pod) and pod["metadata"]["name"] not in without for pod in pods)


def desired(budget: Object, state: State) -> int:
    """Return how many pods must stay healthy under a budget."""
    spec = budget["spec"]
    if "minAvailable" in spec:
        return _share(spec["minAvailable"], budget, state)
    expected = _expected(budget, state)
    return max(0, expected - _share(spec.get("maxUnavailable", 0), budget, state))


def _share(value: int | str, budget: Object, state: State) -> int:
    if isinstance(value, int):
        return value
    return math.ceil(int(value.removesuffix("%")) * _expected(budget, state) / _WHOLE)


def _expected(budget: Object, state: State) -> int:
    """Return what the workloads of all pods under the budget want, as the API server counts for percentages."""
    pods = [pod for pod in state.of("Pod", budget["metadata"]["namespace"]) if covers(budget, pod)]
    workloads = {workload for pod in pods if (workload := state.workload(pod)) is not None}
    return sum(_replicas(state.objects.get(workload)) for workload in workloads)


def _replicas(workload: Object | None) -> int:
    return 0 if workload is None else int(workload["spec"].get("replicas", 1))
