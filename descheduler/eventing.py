"""Events on pods, workloads and nodes: what was decided about them and why; deduplicated, bounded, in nobody's way.

An event's name is a hash of its object, reason and key, so that a run without memory adds to the count of the last
run's event instead of writing a new one. Nothing here decides, and a failure to write is only logged and counted.
"""

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from policies.values.pods import Pod
from policies.values.workloads import WorkloadRef
from sources.clocks import Clock
from sources.kube import errors
from sources.kube.api import KubeApi

_LOG: Final = logging.getLogger(__name__)
COMPONENT: Final = "bayplan-descheduler"
_LONGEST_MESSAGE: Final = 1024  # the API refuses longer ones
_LONGEST_NAME: Final = 220  # leaves room for the hash within 253
_NAMESPACE: Final = "default"  # of events about objects that have none themselves; the API allows no other
_API_VERSIONS: Final = {
    "Pod": "v1",
    "Node": "v1",
    "ReplicationController": "v1",
    "Deployment": "apps/v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
    "PlacementPlan": "bayplan.dev/v1alpha1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing to tell about one object. Notices with equal object, reason and `key` are one event, counted.

    A node's `namespace` is empty.
    """

    kind: str
    namespace: str
    name: str
    uid: str = ""
    reason: str
    message: str
    key: str = ""
    type: Literal["Normal", "Warning"] = "Normal"

    @property
    def event_name(self) -> str:
        """Return the name of the event, the same in every run."""
        words = f"{self.kind}/{self.namespace}/{self.name}/{self.uid}/{self.reason}/{self.key}"
        return f"{self.name[:_LONGEST_NAME]}.{hashlib.sha256(words.encode()).hexdigest()[:16]}"


def about_pod(pod: Pod, *, reason: str, message: str, key: str = "") -> Notice:
    """Return a notice on a pod."""
    return Notice(
        kind="Pod", namespace=pod.namespace, name=pod.name, uid=pod.uid, reason=reason, message=message, key=key
    )


def about_workload(ref: WorkloadRef, uid: str, *, reason: str, message: str, key: str = "") -> Notice:
    """Return a notice on a workload."""
    return Notice(
        kind=ref.kind, namespace=ref.namespace, name=ref.name, uid=uid, reason=reason, message=message, key=key
    )


def about_node(name: str, uid: str, *, reason: str, message: str, key: str = "") -> Notice:
    """Return a notice on a node."""
    return Notice(kind="Node", namespace="", name=name, uid=uid, reason=reason, message=message, key=key)


class EventWriter:
    """Writes notices as core/v1 Events: each at most once per `repeat` seconds, at most `most` in one call."""

    def __init__(self, api: KubeApi, *, instance: str, clock: Clock, repeat: float = 600.0, most: int = 40) -> None:
        self.failed = 0
        self.left_out = 0
        self._api = api
        self._instance = instance
        self._clock = clock
        self._repeat = repeat
        self._most = most
        self._told: OrderedDict[str, float] = OrderedDict()

    def tell(self, notices: Iterable[Notice]) -> int:
        """Write what has not been told lately, in the given order, and return how many events were written."""
        due = list({notice.event_name: notice for notice in notices if self._due(notice)}.values())
        self.left_out += max(0, len(due) - self._most)
        return sum(self._write(notice) for notice in due[: self._most])

    def _due(self, notice: Notice) -> bool:
        told = self._told.get(notice.event_name)
        return told is None or self._clock.monotonic() - told >= self._repeat

    def _write(self, notice: Notice) -> bool:
        path = f"/api/v1/namespaces/{notice.namespace or _NAMESPACE}/events"
        try:
            try:
                self._api.request("POST", path, body=self._body(notice), timeout=2.0)
            except errors.AlreadyExists:
                self._count_up(f"{path}/{notice.event_name}", notice)
        except errors.ApiError as error:
            self.failed += 1
            _LOG.warning("the event %s on %s %s was not written: %s", notice.reason, notice.kind, notice.name, error)
            return False
        self._remember(notice.event_name)
        return True

    def _remember(self, name: str) -> None:
        self._told[name] = self._clock.monotonic()
        self._told.move_to_end(name)
        while len(self._told) > 100 * self._most:
            self._told.popitem(last=False)

    def _count_up(self, path: str, notice: Notice) -> None:
        seen = self._api.request("GET", path, timeout=2.0).body
        change = {
            "count": int(seen.get("count") or 1) + 1,
            "message": notice.message[:_LONGEST_MESSAGE],
            "lastTimestamp": self._stamp(),
        }
        self._api.request("PATCH", path, body=change, content_type="application/merge-patch+json", timeout=2.0)

    def _body(self, notice: Notice) -> dict[str, Any]:
        involved = {"kind": notice.kind, "name": notice.name, "uid": notice.uid}
        involved |= {"namespace": notice.namespace} if notice.namespace else {}
        version = _API_VERSIONS.get(notice.kind)
        stamp = self._stamp()
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": notice.event_name, "namespace": notice.namespace or _NAMESPACE},
            "involvedObject": involved | ({"apiVersion": version} if version else {}),
            "reason": notice.reason,
            "message": notice.message[:_LONGEST_MESSAGE],
            "type": notice.type,
            "source": {"component": COMPONENT},
            "reportingComponent": COMPONENT,
            "reportingInstance": self._instance,
            "firstTimestamp": stamp,
            "lastTimestamp": stamp,
            "count": 1,
        }

    def _stamp(self) -> str:
        return datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
