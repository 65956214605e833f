"""Row `bind`: how many pods a second a real kube-scheduler binds with Bayplan, with a Flask echo and with a Go echo.

All in one run on one control plane. Each extender runs for its own turns only, two of them, the second time in reverse
order, so that what changes over the minutes meets all of them.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from bench import crowding, plans, population
from bench.crowding import Crowd
from bench.population import Population
from bench.results import Result
from bench.stage import Stage
from controlplane import building, configs, objects
from controlplane.clusters import ControlPlane, Options
from controlplane.objects import NodeShape, PodShape
from controlplane.observing import Observer
from controlplane.processes import Program
from controlplane.waiting import wait_until
from launching import installing
from launching.services import Service

SIZES: Final = Population(nodes=500, pods=0, workloads=0)
_PODS: Final = 600
_TURNS: Final = ("bayplan", "flask", "go", "go", "flask", "bayplan")
_NAMESPACE: Final = "bench"
_PATH: Final = f"/api/v1/namespaces/{_NAMESPACE}/pods"
_BOUND_WITHIN: Final = 180.0
_TIMEOUT: Final = "5s"  # a call that is given up, as on a busy machine, would count as a quick one
_EDGE: Final = _PODS // 10  # at each end: the scheduler starts, the queue runs empty
_SHAPE: Final = PodShape(cpu="100m", scheduler=population.SCHEDULER)
_LEAST_OF_FLASK: Final = 0.9
_LEAST_OF_GO: Final = 0.6


def measure(stage: Stage, _wanted: frozenset[str]) -> Iterator[Result]:
    """Start a control plane, give each extender its turns, and yield the two ratios."""
    options = Options(controllers=False, kwok=False)
    with ControlPlane(building.ensure(), options) as plane, crowding.crowd(plane) as crowd:
        installing.install(plane)
        plane.admin.create("/api/v1/namespaces", {"metadata": {"name": _NAMESPACE}})
        crowd.nodes(range(SIZES.nodes), lambda number: NodeShape(cpu="32", address=population.address(number)))
        turns = _Turns(stage, plane, crowd)
        rates: dict[str, list[float]] = defaultdict(list)
        for extender in _TURNS:
            rates[extender].append(turns.rate(extender))
    yield _ratio("Flask", rates["bayplan"], rates["flask"], least=_LEAST_OF_FLASK)
    yield _ratio("Go", rates["bayplan"], rates["go"], least=_LEAST_OF_GO)


class _Turns:
    """One turn after the other on the same nodes."""

    def __init__(self, stage: Stage, plane: ControlPlane, crowd: Crowd) -> None:
        self._stage = stage
        self._plane = plane
        self._crowd = crowd
        self._policy = plans.policy(stage.url("prometheus"))
        self._answers = plans.plan(self._policy, plans.measured(SIZES), plans.ordinary, seed=stage.seed)

    def rate(self, extender: str) -> float:
        """Return pods bound per second with one extender."""
        self._crowd.each(range(_PODS), lambda api, number: api.create(_PATH, objects.pod(f"pod-{number}", _SHAPE)))
        configuration = configs.with_extender(f"{self._stage.url(extender)}/v1", http_timeout=_TIMEOUT)
        with (
            self._stage.prometheus(self._answers),
            self._extender(extender),
            Observer(self._plane.admin, _PATH) as observer,
        ):
            self._plane.start_scheduler(population.SCHEDULER, configuration)
            wait_until(
                lambda: len(observer.bound()) == _PODS, "all pods to be bound", timeout=_BOUND_WITHIN, interval=1
            )
            self._plane.stop_scheduler(population.SCHEDULER)
        self._plane.admin.delete(_PATH, gracePeriodSeconds="0")
        moments = sorted(at for _, at in observer.bound().values())[_EDGE:-_EDGE]
        return (len(moments) - 1) / (moments[-1] - moments[0])

    def _extender(self, name: str) -> Service | Program:
        if name == "bayplan":
            return self._stage.extender(self._policy, self._plane.admin_kubeconfig)
        return self._stage.flask_echo() if name == "flask" else self._stage.go_echo()


def _ratio(name: str, ours: list[float], theirs: list[float], *, least: float) -> Result:
    ratio = statistics.mean(ours) / statistics.mean(theirs)
    turns = [" and ".join(f"{rate:.0f}" for rate in rates) for rates in (ours, theirs)]
    return Result(
        row="bind",
        what=f"pods bound per second, 500 nodes: with Bayplan ÷ with a {name} echo",
        target=f"≥ {least:g}",
        seen=f"{statistics.mean(ours):.0f} ÷ {statistics.mean(theirs):.0f}",
        ratio=f"{ratio:.2f}",
        met=ratio >= least,
        remarks=f"two turns of {_PODS} pods each: {turns[0]}; {turns[1]}",
    )
