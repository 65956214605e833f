"""Plays what node_exporter, cAdvisor and the services would measure: follows the pods, asks the model, sets figures."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from controlplane.api import Api, ApiRefusedError
from controlplane.figures import Figures
from controlplane.node_figures import NodeFigures, NodeUse, Place, PodUse
from controlplane.objects import Object
from demo import load
from demo.casting import CORES, Surge
from demo.load import NodeLoad, Pod
from demo.workloads import FRONTEND, NAMESPACE

PODS_PATH: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
LATENCY: Final = "http_request_duration_seconds"
_EVERY_SECONDS: Final = 0.5
_IDLE: Final = NodeLoad(0.0)


@dataclass
class Demand:
    """What pods want beyond the usual; set by the story, read by the feeder."""

    _extra: dict[str, float] = field(default_factory=dict)

    def raise_by(self, surge: Surge) -> None:
        """Let a pod want more from now on, until it is gone."""
        self._extra = self._extra | {surge.pod.name: surge.cores}  # replaced whole: the feeder may be reading

    def of(self, pod: Pod, moment: float) -> float:
        """Return the cores that a pod wants at a moment (Unix seconds)."""
        return (CORES[pod.workload] + self._extra.get(pod.name, 0.0)) * load.sway(pod.name, moment)


class Feeder:
    """Sets the figures of all nodes and running pods twice a second in a thread of its own; a context manager."""

    def __init__(self, api: Api, nodes: list[str]) -> None:
        self.figures = Figures()
        self.demand = Demand()
        self._measured = NodeFigures(self.figures)
        self._api = api.clone()
        self._nodes = nodes
        self._known: frozenset[str] = frozenset()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feeder")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._api.close()

    def feed(self, pods: list[Pod], moment: float) -> None:
        """Set what would be measured of these pods and of all nodes from a moment on."""
        wanted = {pod: self.demand.of(pod, moment) for pod in pods}
        nodes = load.by_node(wanted)
        for node in self._nodes:
            here = nodes.get(node, _IDLE)
            self._measured.node(node, NodeUse(cpus=load.CPUS, cpu=here.use, cpu_pressure=here.pressure))
        for pod in pods:
            self._feed_pod(pod, wanted, nodes[pod.node])
        for gone in self._known - {pod.name for pod in pods}:
            self._measured.silence_pod(NAMESPACE, gone)
        self._known = frozenset(pod.name for pod in pods)

    def _feed_pod(self, pod: Pod, wanted: Mapping[Pod, float], here: NodeLoad) -> None:
        use = PodUse(cpu=here.granted(wanted[pod]), cpu_pressure=here.pressure)
        self._measured.pod(Place(NAMESPACE, pod.name, pod.node), use)
        if pod.workload == FRONTEND.name:
            labels = {"namespace": NAMESPACE, "pod": pod.name, "quantile": "0.99"}
            self.figures.gauge(LATENCY, here.latency, labels)

    def _run(self) -> None:
        while not self._stop.wait(_EVERY_SECONDS):
            try:
                found = self._api.items(PODS_PATH)
            except (ApiRefusedError, OSError):
                continue  # the namespace is not there yet, or the server is already ending: figures go on as they are
            self.feed(running(found), time.time())


def running(found: list[Object]) -> list[Pod]:
    """Return the running ones of the pods that the API server gave."""
    return [
        Pod(raw["metadata"]["name"], raw["metadata"]["labels"]["app"], raw["spec"]["nodeName"])
        for raw in found
        if raw["status"].get("phase") == "Running" and "deletionTimestamp" not in raw["metadata"]
    ]
