"""An outsider who watches one namespace from the beginning and judges in the end; see `judging` for what it asks."""

import contextlib
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from controlplane import judging
from controlplane.clusters import ControlPlane
from controlplane.judging import Judgement, Rules
from controlplane.observing import Observer
from controlplane.replaying import in_order
from controlplane.waiting import NotInTimeError, wait_until

_COLLECTIONS: Mapping[str, str] = {
    "Pod": "/api/v1/namespaces/{}/pods",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "ReplicaSet": "/apis/apps/v1/namespaces/{}/replicasets",
    "StatefulSet": "/apis/apps/v1/namespaces/{}/statefulsets",
}


class Witness:
    """Looks while it is entered; `judge` may be asked at any time, also when it has ended."""

    def __init__(self, plane: ControlPlane, namespace: str) -> None:
        self._plane = plane
        self._namespace = namespace
        self._began = time.time()
        self._observers = {kind: Observer(plane.admin, path.format(namespace)) for kind, path in _COLLECTIONS.items()}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        for observer in self._observers.values():
            self._stack.enter_context(observer)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def pods(self) -> Observer:
        """What was seen of the pods."""
        return self._observers["Pod"]

    def judge(self, rules: Rules) -> Judgement:
        """Return what is wrong so far."""
        seen = {kind: observer.changes for kind, observer in self._observers.items()}
        calls = [
            call
            for call in self._plane.audit.requests()
            if call.namespace == self._namespace and call.at >= self._began
        ]
        return judging.judge(in_order(seen), calls, rules)

    def settle(self, rules: Rules, *, timeout: float = 30.0) -> Judgement:
        """Wait until nothing is wrong, which workloads may take a while for; return the last judgement."""
        with contextlib.suppress(NotInTimeError):
            wait_until(lambda: not self.judge(rules).findings, "nothing to be wrong", timeout=timeout, interval=0.5)
        return self.judge(rules)
