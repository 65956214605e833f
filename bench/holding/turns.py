"""One turn: so many pods are held in one way, quietly and with traffic, and then released or left by a dead Bayplan."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import requests

from bench.holding import gates
from bench.holding.stub import HELD
from bench.results import Spread
from bench.stage import Stage
from controlplane import objects
from controlplane.clusters import ControlPlane
from controlplane.objects import Object, PodShape
from controlplane.observing import Observer
from controlplane.waiting import wait_until

SCHEDULER: Final = "bayplan-scheduler"
NAMESPACE: Final = "held"
QUIET: Final = 10.0
TRAFFIC: Final = 20.0
PACE: Final = 5.0  # pods a second
_PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
_SETS: Final = f"/apis/apps/v1/namespaces/{NAMESPACE}/replicasets"
_WAITS: Final = 60.0
_ATTEMPTS: Final = "scheduler_schedule_attempts_total"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one turn showed; rates are per second, `to_bind` of the traffic's pods, `left` after Bayplan's death."""

    way: str
    held: int
    calls_quiet: float
    calls: float
    attempts: float
    scheduler_cpu: float
    to_bind: Spread
    released: Spread
    left: str


@dataclass
class Ground:
    """A control plane with a scheduler that asks the stub."""

    stage: Stage
    plane: ControlPlane
    nodes: list[str]
    session: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        self.session.trust_env = False
        self.session.verify = False

    def turn(self, way: str, held: int) -> Turn:
        """Hold and release, then hold once more and let Bayplan die."""
        with Observer(self.plane.admin, _PODS) as observer:
            self._hold(way, held)
            quiet, _ = self._during(lambda: time.sleep(QUIET))
            before = self.plane.programs[SCHEDULER].cpu_seconds()
            busy, took = self._during(self._traffic)
            cpu = (self.plane.programs[SCHEDULER].cpu_seconds() - before) / took
            wait_until(lambda: len(observer.bound()) == TRAFFIC * PACE, "the traffic to be bound", timeout=_WAITS)
            released = self._release(way, held, observer)
        turn = Turn(
            way=way,
            held=held,
            calls_quiet=quiet["held"] / QUIET,
            calls=busy["held"] / took,
            attempts=busy["attempts"] / took,
            scheduler_cpu=cpu,
            to_bind=Spread(_latencies(observer, lambda name: name.startswith("traffic-"))),
            released=Spread(released),
            left=self._left(way, held),
        )
        self._clear()
        return turn

    # ------------------------------------------------------------------ holding

    def _hold(self, way: str, count: int) -> None:
        """Let a ReplicaSet make the pods, as it replaces those that a plan evicts."""
        self._switch(holding=way == "refuse")
        shape = PodShape(cpu="10m", scheduler=SCHEDULER, labels={HELD: "true"})
        template = objects.pod_template("held", shape)
        selector = {"matchLabels": {"app": "held"}}
        body = {"metadata": {"name": "held"}, "spec": {"replicas": 0, "selector": selector, "template": template}}
        made = self.plane.admin.create(_SETS, body)
        if way == "gate":
            owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "held", "uid": made["metadata"]["uid"]}
            tried = objects.pod("tried", shape)
            tried["metadata"]["ownerReferences"] = [owner | {"controller": True}]
            gates.activate(self.plane.admin, NAMESPACE, owner["uid"])
            wait_until(lambda: gates.gates(self.plane.admin, NAMESPACE, tried), "gates", interval=0.005)
        self.plane.admin.patch(f"{_SETS}/held", {"spec": {"replicas": count}})
        wait_until(lambda: len(self._held()) == count, f"{count} held pods", timeout=_WAITS)
        if way == "refuse":
            wait_until(lambda: all(_refused(pod) for pod in self._held()), "every pod to be refused", timeout=_WAITS)
        time.sleep(2)  # the second attempt, which each pod's own condition brings

    def _release(self, way: str, count: int, observer: Observer) -> list[float]:
        """Let all held pods go to their nodes; return after how long each was seen bound."""
        names = {pod["metadata"]["name"] for pod in self._held()}
        began = time.time()
        if way == "gate":
            for pod in self._held():
                gates.release(self.plane.admin, NAMESPACE, pod, self.nodes)
        else:
            self._switch(holding=False)
            self._wake()
        wait_until(lambda: len(observer.bound().keys() & names) == count, "the held to be bound", timeout=_WAITS)
        return [at - began for name, (_, at) in observer.bound().items() if name in names] or [0.0]

    def _left(self, way: str, count: int) -> str:
        """Let Bayplan die while it holds pods; return what becomes of them within a minute, with traffic."""
        self._clear()
        self._hold(way, count)
        with Observer(self.plane.admin, _PODS) as observer:
            self.plane.programs["stub"].kill()
            began = time.time()
            self._traffic()
            names = {pod["metadata"]["name"] for pod in self._held()}
            while len(observer.bound().keys() & names) < count and time.time() - began < _WAITS / 2:
                time.sleep(0.1)
        times = [at - began for name, (_, at) in observer.bound().items() if name in names]
        self.plane.programs["stub"].start()
        self.plane.programs["stub"].wait_ready()
        return f"{len(times)} of {count} bound" + (f", the last after {max(times):.1f} s" if times else "")

    def _clear(self) -> None:
        gates.deactivate(self.plane.admin, NAMESPACE)
        self.plane.admin.delete(f"{_SETS}/held", propagationPolicy="Orphan")
        wait_until(lambda: self.plane.admin.find(f"{_SETS}/held") is None, "the ReplicaSet to be gone")
        self.plane.admin.delete(_PODS, gracePeriodSeconds="0")
        wait_until(lambda: not self.plane.admin.items(_PODS), "all pods to be gone", timeout=_WAITS)

    # ------------------------------------------------------------------ looking

    def _traffic(self) -> None:
        """Create other pods at an even pace."""
        began = time.monotonic()
        shape = PodShape(cpu="10m", scheduler=SCHEDULER)
        with self.plane.admin.clone() as api:
            for number in range(int(TRAFFIC * PACE)):
                time.sleep(max(0.0, began + number / PACE - time.monotonic()))
                api.create(_PODS, objects.pod(f"traffic-{number}", shape))

    def _during(self, act: Callable[[], object]) -> tuple[Mapping[str, float], float]:
        before, began = self._counts(), time.monotonic()
        act()
        took, after = time.monotonic() - began, self._counts()
        return {name: after[name] - before[name] for name in after}, took

    def _counts(self) -> dict[str, float]:
        asked: dict[str, Any] = self.session.get(self.stage.url("stub") + "/counts", timeout=10).json()
        url = f"https://127.0.0.1:{self.plane.run.port(SCHEDULER)}/metrics"
        lines = self.session.get(url, timeout=10).text.splitlines()
        attempts = sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(_ATTEMPTS))
        return {"held": asked.get("held", 0), "attempts": attempts}

    def _switch(self, *, holding: bool) -> None:
        self.session.post(self.stage.url("stub") + "/holding", json=holding, timeout=10).raise_for_status()

    def _wake(self) -> None:
        """Change an annotation of a running pod of our own, which wakes every pod that an extender refused."""
        changed = {"metadata": {"annotations": {"bayplan.test/woken": str(time.time())}}}
        self.plane.admin.patch("/api/v1/namespaces/default/pods/own", changed)

    def _held(self) -> list[Object]:
        return self.plane.admin.items(_PODS, labelSelector="app=held")


def _refused(pod: Object) -> bool:
    return any(one.get("reason") == "Unschedulable" for one in pod["status"].get("conditions") or ())


def _latencies(observer: Observer, ours: Callable[[str], bool]) -> list[float]:
    first: dict[str, float] = {}
    for seen in observer.changes:
        first.setdefault(seen.body["metadata"]["name"], seen.at)
    return [at - first[name] for name, (_, at) in observer.bound().items() if ours(name)]
