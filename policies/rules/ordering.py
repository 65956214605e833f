"""How many of a rule's ordered pods are offered to the check."""

from collections.abc import Sequence
from typing import Literal

from policies.placement.scope import SYSTEM_CRITICAL, SYSTEM_PRIORITY
from policies.values.pods import Pod


def offered(pods: Sequence[Pod], *, fall_back: Literal["next", "none"]) -> tuple[Pod, ...]:
    """Return all pods under `next`, the first one under `none`.

    The one try is not spent on a pod that never can be a victim (DaemonSet, static, system-critical, bare) while there
    is one that can: the paper ranks the workloads of a node, and its daemons are none.
    """
    if fall_back == "next":
        return tuple(pods)
    able = tuple(pod for pod in pods if could_ever_go(pod))
    return (able or tuple(pods))[:1]


def could_ever_go(pod: Pod) -> bool:
    """Tell whether a pod is of a kind that moves by being evicted: its controller makes another one elsewhere."""
    return (
        pod.owner is not None
        and pod.owner.kind != "DaemonSet"
        and not pod.static
        and pod.priority_class not in SYSTEM_CRITICAL
        and pod.priority < SYSTEM_PRIORITY
    )
