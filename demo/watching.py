"""The stage as an outsider sees it: explanations, report, records, pods, audit log; and the lever for the load."""

import time
from typing import Any, Final

import requests

from controlplane.objects import Object
from demo import feeding, sights
from demo.casting import Surge
from demo.load import Pod
from demo.sights import Move, Sight
from demo.stage import Stage
from demo.workloads import NAMESPACE
from launching.paths import RECORDS, REPORT

# The extender explains what it would say of one pod; this one's workload is not moved, so no steering colours it.
_ASKED_ABOUT: Final = "cart"


class Watcher:
    """Looks at a stage for the story, and raises the load of pods for it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._api = stage.plane.admin

    def look(self) -> Sight:
        """Return what is to be seen now."""
        pods = self._api.items(feeding.PODS_PATH)
        status = (self._api.find(REPORT) or {}).get("status", {})
        asked = next((pod["metadata"]["name"] for pod in pods if _app(pod) == _ASKED_ABOUT), "")
        records = sorted(self._api.items(RECORDS), key=lambda raw: str(raw["metadata"]["creationTimestamp"]))
        return Sight(
            at=time.time(),
            nodes=sights.nodes(self._explain(f"{NAMESPACE}/{asked}"), pods),
            decisions=sights.decisions(status),
            moves=tuple(map(sights.move, records)),
            troubles=status.get("lastRun", {}).get("troubles", {}),
            cycles=status.get("totals", {}).get("cycles", 0),
        )

    def pods(self) -> tuple[Pod, ...]:
        """Return the running pods."""
        return tuple(feeding.running(self._api.items(feeding.PODS_PATH)))

    def heat(self, surge: Surge) -> None:
        """Let a pod want more from now on."""
        self._stage.feeder.demand.raise_by(surge)

    def granted(self) -> tuple[str, ...]:
        """Return the pods whose eviction the API server granted, from its audit log."""
        asked = self._stage.plane.audit.evictions(namespace=NAMESPACE)
        return tuple(request.name for request in asked if request.granted)

    def closed(self, move: Move) -> str:
        """Return why the extender refuses the node that was left to the replacement; empty if it does not."""
        nodes = self._explain(f"{NAMESPACE}/{move.replacement}").get("nodes", ())
        return next((str(one["reason"] or "") for one in nodes if one["node"] == move.source), "")

    def _explain(self, pod: str) -> dict[str, Any]:
        """Return what the extender would answer for a pod; empty where it cannot say."""
        try:
            return self._stage.extender.explain(pod)
        except requests.RequestException:
            return {}


def _app(pod: Object) -> str:
    return str(pod["metadata"]["labels"].get("app", ""))
