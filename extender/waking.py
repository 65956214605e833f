"""Waking the pods that the filter refused every node: a change of our own pod makes kube-scheduler ask again.

Metrics and our own objects are no events for it, but any update of an assigned pod is. At most once a second.
"""

import logging
import threading
from dataclasses import dataclass
from typing import Final

from extender.memory import Memory
from sources.clocks import Clock
from sources.kube.api import KubeApi
from sources.kube.errors import ApiError

_LOG = logging.getLogger(__name__)
ANNOTATION: Final = "bayplan.dev/woken-at"
AT_MOST_EVERY: Final = 1.0
_LOOK_EVERY: Final = 0.1
_MERGE: Final = "application/merge-patch+json"


@dataclass(frozen=True, slots=True)
class OwnPod:
    """The pod that this process runs in."""

    namespace: str
    name: str

    @property
    def path(self) -> str:
        """Return its path in the API."""
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.name}"


class Waker:
    """Annotates our own pod when it was `nudged` while pods sleep, or when time alone changes a sleeper's answer."""

    def __init__(self, api: KubeApi, pod: OwnPod, memory: Memory, *, clock: Clock) -> None:
        self._api = api
        self._pod = pod
        self._memory = memory
        self._clock = clock
        self._woken: dict[str, float] = {}
        self._tried = -AT_MOST_EVERY
        self._strangers = False
        self.trouble = ""

    def run(self, stop: threading.Event) -> None:
        """Wake whenever it is called for."""
        while not stop.wait(_LOOK_EVERY):
            self.step()

    def wake_strangers(self) -> None:
        """Have whoever sleeps woken once: a replica that was killed left pods asleep whom nobody else knows of."""
        self._strangers = True
        self._memory.nudged.set()

    def step(self) -> bool:
        """Wake if it is called for and was not tried just now; tell whether it was done."""
        now = self._clock.monotonic()
        self._memory.holding.sweep(now)
        # Looked at before the sleepers are: a nudge for one that comes in between stays.
        nudged = self._memory.nudged.is_set()
        if nudged:  # else one that comes at this very moment would be lost
            self._memory.nudged.clear()
        sleepers = self._memory.holding.sleepers()
        # A pod that was woken for a moment and did not ask again is not woken for the same moment twice.
        due = {
            uid: hold.wakes
            for uid, hold in sleepers.items()
            if hold.wakes <= now and self._woken.get(uid) != hold.wakes
        }
        plans = self._memory.plans
        if plans.released.is_set():
            plans.released.clear()
            self._strangers = True
        if not due and not (nudged and (sleepers or plans.waiting or self._strangers)):
            return False
        if now < self._tried + AT_MOST_EVERY or not self._annotate(now):
            self._memory.nudged.set()
            return False
        self._strangers = False
        self._woken = {uid: at for uid, at in (self._woken | due).items() if uid in sleepers}
        return True

    def _annotate(self, now: float) -> bool:
        self._tried = now
        body = {"metadata": {"annotations": {ANNOTATION: f"{self._clock.now():.3f}"}}}
        try:
            self._api.request("PATCH", self._pod.path, body=body, content_type=_MERGE, timeout=2.0)
        except ApiError as problem:
            words = f"sleeping pods cannot be woken, patching {self._pod.name} failed: {problem}"
            if words != self.trouble:
                _LOG.warning("%s", words)
            self.trouble = words
            self._memory.meters.wakes.labels("failed").inc()
            return False
        self.trouble = ""
        self._memory.meters.wakes.labels("woken").inc()
        return True
