"""How many of a rule's ordered pods are offered to the check."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from policies.values.pods import Pod

SYSTEM_CLASSES: Final = frozenset({"system-node-critical", "system-cluster-critical"})


def offered(pods: Sequence[Pod], *, fall_back: Literal["next", "none"]) -> tuple[Pod, ...]:
    """Return all pods under `next`; under `none` only up to the first that could be a victim at all.

    Pods that never can be (DaemonSet, static, system-critical, bare) do not use up the one try: they stand before it,
    so that their refusals are seen.
    """
    return tuple(pods) if fall_back == "next" else tuple(_up_to_first(pods))


def could_ever_go(pod: Pod) -> bool:
    """Tell whether a pod is of a kind that moves by being evicted: its controller makes another one elsewhere."""
    return (
        pod.owner is not None
        and pod.owner.kind != "DaemonSet"
        and not pod.static
        and pod.priority_class not in SYSTEM_CLASSES
    )


def _up_to_first(pods: Sequence[Pod]) -> Iterator[Pod]:
    for pod in pods:
        yield pod
        if could_ever_go(pod):
            return
