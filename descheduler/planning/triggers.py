"""When a plan is asked for: at a pace, once the pending pods stay the same, or when a pod finds no node.

It solves nothing. `look` is called every 250 ms, and `heard` is told of every change of a pod in between, so that a
failure is noticed at once.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from descheduler.planning.desk import Asked, Desk
from policies.model.loading import Loaded
from policies.values import kinds
from policies.values.pods import Pod
from sources.clocks import Clock
from sources.kube.cluster_watch import Change

POLL: Final = 0.25
PERIODIC: Final = "periodic"
STABLE_QUEUE: Final = "stable-queue"
FAILURE: Final = "scheduling-failure"
# Arbitrary. Ages, windows and rests end without any change of a pod, and kube-scheduler tells of the same failure once.
_ASKS_AGAIN: Final = 60.0


def pending(pods: Iterable[Pod]) -> frozenset[str]:
    """Return the UIDs of the pods that wait for a node; one that preemption makes room for counts as placed."""
    return frozenset(
        pod.uid
        for pod in pods
        if pod.node is None and pod.nominated_node is None and not (pod.ended or pod.terminating or pod.gated)
    )


@dataclass(slots=True)
class Triggers:
    """The triggers of one process. `pods` gives the watched pods by UID."""

    desk: Desk
    policy: Callable[[], Loaded]
    pods: Callable[[], Mapping[str, Pod]]
    clock: Clock
    nudged: threading.Event = field(default_factory=threading.Event)
    _failed: threading.Event = field(default_factory=threading.Event)
    _asked_at: float | None = None
    _waiting: frozenset[str] = frozenset()
    _stable_since: float | None = None
    _searched_at: float | None = None

    def run(self, stop: threading.Event) -> None:
        """Look until `stop`; to be run under supervise()."""
        while not stop.is_set():
            self.look()
            self.nudged.wait(POLL)
            self.nudged.clear()

    def heard(self, change: Change) -> None:
        """Listen to the watch: a pod that is reported unschedulable is a scheduling failure."""
        pod = change.after
        if change.kind != kinds.PODS or pod is None or pod.node is not None or pod.unschedulable_since is None:
            return
        self._failed.set()
        self.nudged.set()

    def look(self) -> None:
        """Ask for a plan if the policy's trigger says so now."""
        trigger = self.policy().policy.plan.trigger
        if trigger != FAILURE:
            self._searched_at = None
        match trigger:
            case "periodic":
                self._look_at_clock()
            case "stable-queue":
                self._look_at_queue()
            case "scheduling-failure":
                self._look_at_failures()
            case _:
                self._failed.clear()

    def _look_at_clock(self) -> None:
        now, pace = self.clock.monotonic(), self.policy().policy.plan.interval
        if self._asked_at is None:
            self._asked_at = now
        if now - self._asked_at >= pace and not self.desk.busy:
            self._ask(PERIODIC)

    def _look_at_queue(self) -> None:
        """Wait for a set of pending pods to stay the same; a change ends the solve that was made for another one."""
        now, seen = self.clock.monotonic(), pending(self.pods().values())
        if seen != self._waiting or self._stable_since is None:
            self._waiting, self._stable_since = seen, now
            if self.desk.computing == STABLE_QUEUE:
                self.desk.cancel()
        patience = self.policy().policy.plan.stable_for
        if seen and now - self._stable_since >= patience and not self.desk.busy:
            self._ask(STABLE_QUEUE)
            # The cluster around the same queue may change: it is looked at again after the same time.
            self._stable_since = now

    def _look_at_failures(self) -> None:
        """Ask when a failure was heard of; now and then also for pods of which nothing new will be heard."""
        now = self.clock.monotonic()
        again = self._searched_at is None or now - self._searched_at >= _ASKS_AGAIN
        if self.desk.busy or not (again or self._failed.is_set()):
            return
        heard, self._searched_at = self._failed.is_set(), now
        self._failed.clear()
        pods = self.pods()
        waiting = pending(pods.values())
        if waiting and (heard or any(pods[uid].unschedulable_since is not None for uid in waiting)):
            self._ask(FAILURE)

    def _ask(self, trigger: str) -> None:
        self._asked_at = self.clock.monotonic()
        self.desk.ask(Asked(trigger=trigger))
