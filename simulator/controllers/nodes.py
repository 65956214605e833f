"""What nodes and the scheduler do with pods: bind them, start them, let them get ready; measures no load."""

from collections.abc import Callable
from typing import Final

from simulator.controllers.owning import kind_named
from simulator.jsons import Raw, timestamp
from simulator.store import Change, Key, key_of
from simulator.writing import PODS, Writer, with_condition

NODES: Final = kind_named("nodes", "")


class Kubelets:
    """Starts bound pods after `start_after` seconds; they get Ready at once if `gets_ready` says so."""

    def __init__(self, *, start_after: float = 0.0, gets_ready: Callable[[Raw], bool] = bool) -> None:
        self._start_after = start_after
        self._gets_ready = gets_ready

    def react(self, change: Change, writer: Writer) -> None:
        """Start a pod that has just been bound."""
        pod = change.now
        if change.kind is not PODS or change.type == "DELETED" or not _waits_for_start(pod):
            return
        if self._start_after:
            key, uid = key_of(pod), pod["metadata"]["uid"]
            writer.later(self._start_after, lambda: self._start(key, uid, writer))
        else:
            self._start(key_of(pod), pod["metadata"]["uid"], writer)

    def _start(self, key: Key, uid: str, writer: Writer) -> None:
        pod = writer.store.get(PODS, key)
        if pod is None or pod["metadata"]["uid"] != uid or not _waits_for_start(pod):
            return
        at = writer.clock.now()
        status = (pod.get("status") or {}) | {"phase": "Running", "startTime": timestamp(at)}
        ready = "True" if self._gets_ready(pod) else "False"
        writer.store.replace(PODS, pod | {"status": with_condition(status, "Ready", ready, at=at)})


class Binder:
    """A scheduler of sorts: binds a pending pod to the node that `place` names for it, None meaning nowhere yet.

    It asks again for pods without a node whenever a pod leaves or a node changes.
    """

    def __init__(self, place: Callable[[Raw], str | None]) -> None:
        self._place = place

    def react(self, change: Change, writer: Writer) -> None:
        """Bind what can be bound now."""
        if change.kind is PODS and change.type != "DELETED":
            self._consider(change.now, writer)
        elif change.kind in {PODS, NODES}:
            for pod in list(writer.store.all(PODS)):
                self._consider(pod, writer)

    def _consider(self, pod: Raw, writer: Writer) -> None:
        pod = writer.store.get(PODS, key_of(pod)) or pod
        if pod["spec"].get("nodeName") or pod["spec"].get("schedulingGates") or "deletionTimestamp" in pod["metadata"]:
            return
        node = self._place(pod)
        if node is not None:
            writer.bind(key_of(pod), node)
            return
        status = pod.get("status") or {}
        refused = with_condition(status, "PodScheduled", "False", at=writer.clock.now(), reason="Unschedulable")
        writer.store.replace(PODS, pod | {"status": refused})


def _waits_for_start(pod: Raw) -> bool:
    phase = (pod.get("status") or {}).get("phase", "Pending")
    return bool(pod["spec"].get("nodeName")) and phase == "Pending" and "deletionTimestamp" not in pod["metadata"]
