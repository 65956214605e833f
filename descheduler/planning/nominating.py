"""Planned pods get `status.nominatedNodeName`, so that kube-scheduler looks at their node first; off as shipped.

Only where nodes are sampled can a planned node be missing from what the extender is offered. It decides nothing: who
goes where is the plan's, and a pod without a nomination is placed all the same, only later.
"""

import logging
from collections import Counter
from collections.abc import Iterator
from typing import Final

from descheduler.evictor import pod_path
from policies.plans.quotas import Kind, kind_of, remaining
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.pods import Pod
from sources.kube import errors
from sources.kube.api import KubeApi

_LOG: Final = logging.getLogger(__name__)
_CALL_SECONDS: Final = 2.0


class Nominator:
    """Nominates for one plan, each pod once: kube-scheduler may have its reasons to take a nomination back."""

    def __init__(self, api: KubeApi, plan: Plan) -> None:
        self._api = api
        self._plan = plan
        self._tried: set[str] = set()

    def nominate(self, cluster: Cluster) -> None:
        """Nominate the planned pods that wait now."""
        for pod, node in places(self._plan, cluster):
            if pod.uid not in self._tried:
                self._tried.add(pod.uid)
                self._patch(pod, node)

    def _patch(self, pod: Pod, node: str) -> None:
        body = {"metadata": {"uid": pod.uid}, "status": {"nominatedNodeName": node}}
        try:
            self._api.request(
                "PATCH",
                f"{pod_path(pod)}/status",
                body=body,
                content_type="application/merge-patch+json",
                timeout=_CALL_SECONDS,
            )
        except errors.ApiError as error:
            _LOG.warning("%s was not nominated to %s: %s", pod, node, error)


def places(plan: Plan, cluster: Cluster) -> Iterator[tuple[Pod, str]]:
    """Yield each planned pod that waits, with the node it is to go to: as many as are still wanted there."""
    left: dict[Kind, Counter[str]] = {}
    for place, count in remaining(plan, cluster.pods.values()).items():
        left.setdefault(place.kind, Counter())[place.node] = count
    waiting = sorted((pod for pod in cluster.pods.values() if _waits(pod)), key=lambda pod: pod.uid)
    for pod in waiting:
        kind = kind_of(pod)
        if pod.nominated_node is not None and kind in left:
            left[kind][pod.nominated_node] -= 1
    for pod in waiting:
        node = _place(pod, plan, left)
        if node is not None and pod.nominated_node is None:
            yield pod, node


def _place(pod: Pod, plan: Plan, left: dict[Kind, Counter[str]]) -> str | None:
    if pod.uid in plan.pins:
        return plan.pins[pod.uid].target
    kind = kind_of(pod)
    if kind is None or kind not in left or pod.nominated_node is not None:
        return None
    node = min((name for name, count in left[kind].items() if count > 0), default=None)
    if node is not None:
        left[kind][node] -= 1
    return node


def _waits(pod: Pod) -> bool:
    return pod.node is None and not (pod.ended or pod.terminating or pod.gated)
