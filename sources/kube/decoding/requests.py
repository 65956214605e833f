"""What the scheduler counts for a pod: containers, init containers, sidecars, overhead, resizes, one `pods` slot.

Follows the scheduler's own formula (kubernetes/component-helpers, resource/helpers.go); decides nothing.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from policies.values.resources import NOTHING, PODS, Resources
from sources.kube.decoding.amounts import resources
from sources.kube.decoding.sharing import Shared

_ONE_SLOT: Final = Resources({PODS: 1})
_POD_LEVEL: Final = ("cpu", "memory", "hugepages-")  # the resources that pod-level requests may name
_Raw = Mapping[str, Any]


def pod_requests(spec: _Raw, status: _Raw) -> Resources:
    """Return the pod's requests, one object for all pods that say the same.

    Raises:
        QuantityError, KeyError, TypeError, AttributeError: a part is malformed.
    """
    return _REQUESTS.of(
        [_container(raw) for raw in spec["containers"]],
        [_container(raw) for raw in spec.get("initContainers") or ()],
        [_granted(raw) for raw in status.get("containerStatuses") or ()],
        [_granted(raw) for raw in status.get("initContainerStatuses") or ()],
        [spec.get("overhead"), spec.get("resources"), _resize_is_infeasible(status)],
    )


def _container(raw: _Raw) -> list[Any]:
    return [raw.get("name"), (raw.get("resources") or {}).get("requests"), raw.get("restartPolicy")]


def _granted(raw: _Raw) -> list[Any]:
    return [raw.get("name"), (raw.get("resources") or {}).get("requests"), raw.get("allocatedResources")]


def _resize_is_infeasible(status: _Raw) -> bool:
    return any(
        condition.get("type") == "PodResizePending" and condition.get("reason") == "Infeasible"
        for condition in status.get("conditions") or ()
    )


def _total(
    containers: list[Any], init: list[Any], granted: list[Any], init_granted: list[Any], rest: list[Any]
) -> Resources:
    overhead, pod_level, infeasible = rest
    running = _sum(_effective(one, granted, infeasible=infeasible) for one in containers)
    requests = _with_init_containers(running, init, init_granted, infeasible=infeasible)
    requests = Resources({**requests.amounts, **_pod_level(pod_level)})
    return requests + resources(overhead) + _ONE_SLOT


def _with_init_containers(running: Resources, init: list[Any], granted: list[Any], *, infeasible: bool) -> Resources:
    """Init containers run one after another before the pod's containers; sidecars among them keep running."""
    sidecars, peak = NOTHING, NOTHING
    for one in init:
        if one[2] == "Always":
            wanted = _effective(one, granted, infeasible=infeasible)
            running = running + wanted
            sidecars = sidecars + wanted
            peak = peak.largest_with(sidecars)
        else:
            peak = peak.largest_with(resources(one[1]) + sidecars)
    return running.largest_with(peak)


def _effective(container: list[Any], granted: list[Any], *, infeasible: bool) -> Resources:
    """Return the larger of wanted and granted while an in-place resize is unfinished."""
    wanted = resources(container[1])
    for name, actual, allocated in granted:
        if name == container[0] and (actual is not None or allocated is not None):
            held = resources(actual).largest_with(resources(allocated))
            return held if infeasible else wanted.largest_with(held)
    return wanted


def _pod_level(raw: _Raw | None) -> dict[str, int]:
    named = resources((raw or {}).get("requests"))
    return {name: amount for name, amount in named.amounts.items() if name.startswith(_POD_LEVEL)}


def _sum(parts: Iterable[Resources]) -> Resources:
    found = NOTHING
    for part in parts:
        found = found + part
    return found


_REQUESTS: Final = Shared(_total)
