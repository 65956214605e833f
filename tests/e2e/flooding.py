"""A stream of small pods that no plan knows, created at an even pace by connections of its own."""

import threading
import time
from types import TracebackType
from typing import Self

from controlplane import objects
from controlplane.objects import Object
from tests.e2e.planning import Planning

APP = "flood"
_CONNECTIONS = 4


class Flood:
    """Creates `pace` pods a second from the moment it is entered until it is left."""

    def __init__(self, plans: Planning, *, pace: float, cpu: str) -> None:
        self._plans = plans
        self._pace = pace
        self._body = objects.pod_template(APP, plans.shape(cpu))
        self._stop = threading.Event()
        self._began = 0.0
        self._threads = [threading.Thread(target=self._create, args=(number,)) for number in range(_CONNECTIONS)]

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _create(self, number: int) -> None:
        with self._plans.api.clone() as api:
            while not self._stop.wait(max(0.0, self._began + number / self._pace - time.monotonic())):
                api.create(self._plans.pod_path(), self._pod(number))
                number += _CONNECTIONS

    def _pod(self, number: int) -> Object:
        metadata = self._body["metadata"] | {"name": f"{APP}-{number}"}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": self._body["spec"]}
