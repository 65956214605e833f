"""What nodes and pods report while pods move: each pod takes its load along, each node has some that stays.

It asks the API server at every scrape who runs where, and knows nothing of what anybody decides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from controlplane.api import Api
from controlplane.figures import Figures
from controlplane.node_figures import NodeFigures, NodeUse, Place, PodUse
from controlplane.objects import Object
from tests.e2e.scenes import node_of

CORES = 8
_IDLE = 0.1


@dataclass
class Loads:
    """A source of an exporter. `cores` are by app; `rest` (a share of the node) and `pressure` by node.

    `spikes` say from when until when (Unix seconds) a node is busy with something else, whatever its `rest`.
    """

    api: Api
    namespace: str
    cores: Mapping[str, float] = field(default_factory=dict)
    rest: Mapping[str, float] = field(default_factory=dict)
    pressure: Mapping[str, float] = field(default_factory=dict)
    spikes: dict[str, tuple[float, float]] = field(default_factory=dict)
    figures: Figures = field(default_factory=Figures)

    def exposition(self, moment: float) -> str:
        """Return the series of a scrape at this moment."""
        nodes = NodeFigures(self.figures)
        taken = dict.fromkeys(self.rest, 0.0)
        for pod in running(self.api, self.namespace):
            name, node = pod["metadata"]["name"], node_of(pod)
            cores = self.cores.get(pod["metadata"]["labels"]["app"], _IDLE)
            taken[node] = taken.get(node, 0.0) + cores
            nodes.pod(Place(self.namespace, name, node), PodUse(cpu=cores))
        for node, cores in taken.items():
            nodes.node(node, self._use(node, cores, moment))
        return self.figures.exposition(moment)

    def _use(self, node: str, cores: float, moment: float) -> NodeUse:
        began, ended = self.spikes.get(node, (0.0, 0.0))
        rest = 0.95 if began <= moment < ended else self.rest.get(node, _IDLE)
        return NodeUse(cpus=1, cpu=min(1.0, rest + cores / CORES), cpu_pressure=self.pressure.get(node, 0.0))


def running(api: Api, namespace: str) -> Iterator[Object]:
    """Yield the pods of a namespace that run; a pod that is ending still does."""
    pods = api.items(f"/api/v1/namespaces/{namespace}/pods")
    return (pod for pod in pods if node_of(pod) and pod["status"].get("phase") == "Running")
