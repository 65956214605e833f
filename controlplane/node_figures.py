"""Figures of nodes and pods under the names and labels that node_exporter, the kubelet and cAdvisor give them.

It says what would be measured, and must not know what Bayplan makes of it.
"""

from dataclasses import dataclass

from controlplane.figures import Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeUse:
    """A node, in shares of time: `cpu` is use, the pressures are PSI `some`, `waiting` is run-queue seconds per CPU."""

    cpus: int = 8
    cpu: float = 0.2
    waiting: float = 0.0
    cpu_pressure: float = 0.0
    memory_pressure: float = 0.0
    io_pressure: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PodUse:
    """A pod: `cpu` in cores, pressures as shares of time, `bandwidth` in bytes a second, cache events a second.

    What only a cAdvisor of its own measures (bandwidth, cache events) is left out while it is None.
    """

    cpu: float = 0.1
    cpu_pressure: float = 0.0
    memory_pressure: float = 0.0
    io_pressure: float = 0.0
    bandwidth: float | None = None
    llc_loads: float | None = None
    llc_misses: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A pod and the node it runs on."""

    namespace: str
    pod: str
    node: str


class NodeFigures:
    """Sets figures for nodes and pods; what was set stays until it is set anew or silenced."""

    def __init__(self, figures: Figures, *, exporter_port: int = 9100) -> None:
        self.figures = figures
        self._port = exporter_port

    def node(self, name: str, use: NodeUse) -> None:
        """Let node_exporter of a node report this use from now on."""
        labels = {"instance": f"{name}:{self._port}", "job": "node-exporter"}
        for cpu in range(use.cpus):
            of_cpu = labels | {"cpu": str(cpu)}
            for mode, share in (("idle", 1.0 - use.cpu), ("user", use.cpu), ("iowait", 0.0), ("system", 0.0)):
                self.figures.counter("node_cpu_seconds_total", share, of_cpu | {"mode": mode})
            self.figures.counter("node_schedstat_running_seconds_total", use.cpu, of_cpu)
            self.figures.counter("node_schedstat_waiting_seconds_total", use.waiting, of_cpu)
        for resource, share in _pressures(use):
            self.figures.counter(f"node_pressure_{resource}_waiting_seconds_total", share, labels)

    def pod(self, place: Place, use: PodUse) -> None:
        """Let the kubelet's cAdvisor (and a cAdvisor of its own) of the pod's node report this use from now on."""
        group, container = self._rows(place)
        for labels in (group, container):
            self.figures.counter("container_cpu_usage_seconds_total", use.cpu, labels | {"cpu": "total"})
            for resource, share in _pressures(use):
                self.figures.counter(f"container_pressure_{resource}_waiting_seconds_total", share, labels)
        if use.bandwidth is not None:
            # Cumulative, though cAdvisor declares a gauge.
            self.figures.counter("container_memory_bandwidth_bytes", use.bandwidth, container | {"node_id": "0"})
        for event, rate in (("LLC-loads", use.llc_loads), ("LLC-load-misses", use.llc_misses)):
            if rate is not None:
                self.figures.counter("container_perf_events_total", rate, container | {"cpu": "0", "event": event})

    def indicator(self, name: str, value: float, *, namespace: str, pod: str) -> None:
        """Set a service level indicator that the pod itself exposes, such as its p99 latency in seconds."""
        self.figures.gauge(name, value, {"namespace": namespace, "pod": pod})

    def silence_node(self, name: str) -> None:
        """Let every exporter of a node vanish, cAdvisor included."""
        self.figures.drop(instance=f"{name}:{self._port}")
        self.figures.drop(node=name)

    def silence_pod(self, namespace: str, pod: str) -> None:
        """Let every series of a pod vanish."""
        self.figures.drop(namespace=namespace, pod=pod)

    @staticmethod
    def _rows(place: Place) -> tuple[dict[str, str], dict[str, str]]:
        # cAdvisor gives a row for the pod's own cgroup (container="") beside one for each container.
        common = {"namespace": place.namespace, "pod": place.pod, "node": place.node, "job": "kubelet"}
        path = f"/kubepods/{place.namespace}/{place.pod}"
        group = common | {"container": "", "id": path, "image": "", "name": ""}
        container = {"container": "main", "id": f"{path}/main", "image": "registry.invalid/main", "name": "main"}
        return group, common | container


def _pressures(use: NodeUse | PodUse) -> tuple[tuple[str, float], ...]:
    return ("cpu", use.cpu_pressure), ("memory", use.memory_pressure), ("io", use.io_pressure)
