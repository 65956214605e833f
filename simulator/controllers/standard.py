"""The usual set of controllers for a test; a test that needs another kubelet or none builds its own tuple."""

from collections.abc import Callable

from simulator.api_server import Controller
from simulator.controllers.collecting import Collector
from simulator.controllers.deployments import Deployments
from simulator.controllers.disruption import Disruption
from simulator.controllers.nodes import Binder, Kubelets
from simulator.controllers.replica_sets import ReplicaSets
from simulator.controllers.stateful_sets import StatefulSets
from simulator.jsons import Raw


def standard_controllers(
    place: Callable[[Raw], str | None] | None = None, *, kubelets: Kubelets | None = None
) -> tuple[Controller, ...]:
    """Return controllers for workloads and PDBs, kubelets, and a binder if `place` says where pods go."""
    binder: tuple[Controller, ...] = (Binder(place),) if place is not None else ()
    workloads: tuple[Controller, ...] = (Deployments(), ReplicaSets(), StatefulSets(), Collector())
    return (*workloads, *binder, kubelets or Kubelets(), Disruption())
