"""Signals that fail while nodes are in trouble: scheduling goes on, nobody is evicted on bad data, and it can be seen.

Each node in trouble was so for long enough: a paused policy shows that its pod would go. Only then do its figures fail
and is the policy in force, and a node with good figures is relieved beside it.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from controlplane import configs
from controlplane.clusters import ControlPlane
from controlplane.exporter import Exporter
from controlplane.figures import Figures
from controlplane.node_figures import NodeFigures, NodeUse, Place, PodUse
from controlplane.objects import PodShape
from controlplane.processes import Command, Program
from controlplane.programs import node_exporter
from controlplane.programs.prometheus import Prometheus, scrape
from controlplane.waiting import never, wait_until
from launching.services import Service
from policies.model.loading import load
from tests.e2e.bystanders import cpus
from tests.e2e.contention import SPINNING
from tests.e2e.scenes import Scene, node_of
from tests.e2e.services import Extender, Services, installed

SCHEDULER = "bayplan-scheduler"
STALE_AFTER = 5.0
BUSY = 5.0  # the newest sample is up to a scrape older than the end, and a busy machine may be late to look
# A dead exporter's rates live on for this long: long enough to be there when the policy comes into force.
WINDOW = "30s"
CPU = {
    "node": f'1 - avg by (instance) (rate(node_cpu_seconds_total{{mode="idle"}}[{WINDOW}]))',
    "pressure": f"max by (instance) (rate(node_pressure_cpu_waiting_seconds_total[{WINDOW}]))",
    "age": 'time() - max by (instance) (max_over_time(timestamp(node_cpu_seconds_total{mode="idle"})[1m:1s]))',
    "pod": f'sum by (namespace, pod) (rate(container_cpu_usage_seconds_total{{container!=""}}[{WINDOW}]))',
    "podPer": "allocatable",
    "podAge": 'time() - max by (namespace, pod) (timestamp(container_cpu_usage_seconds_total{container!=""}))',
    "rateWindow": WINDOW,
    "additive": True,
}
# Valid PromQL that Prometheus cannot answer: many series on both sides of the operator.
UNANSWERABLE = "node_cpu_seconds_total * on (instance) node_cpu_seconds_total"
BROKEN = {"node": UNANSWERABLE, "age": CPU["age"]}


@dataclass
class Rig:
    """Both services, their Prometheus and their scheduler, and the figures that they see."""

    scene: Scene
    services: Services
    exporter: Exporter
    prometheus: Prometheus
    figures: NodeFigures
    extender: Extender
    descheduler: Service

    def use(self, **changes: Any) -> None:  # fields of the policy's section `eviction`, and `extra` resources
        """Bring a policy into force in both services."""
        text = policy(self.prometheus.url, self.scene.namespace, **changes)
        wanted = load(text, file="policy.yaml").hash
        self.extender.use(text)
        self.descheduler.use(text)
        wait_until(
            lambda: (
                self.extender.readyz()["policyHash"] == wanted
                and self.descheduler.metric("bayplan_descheduler_policy_info", hash=wanted) == 1
            ),
            "the policy to be in force in both services",
            timeout=30,
        )

    def put(self, app: str, node: str) -> str:
        """Put a pod that takes most of a node there, free to go anywhere else; return its name."""
        here = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}
        preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "preference": here}]}
        shape = PodShape(scheduler=SCHEDULER, spec={"affinity": {"nodeAffinity": preferred}})
        (pod,) = self.scene.deployment(app, 1, shape)
        assert node_of(pod) == node, f"{app} landed on {node_of(pod)}, not on {node}"
        name = str(pod["metadata"]["name"])
        self.figures.pod(Place(self.scene.namespace, name, node), PodUse(cpu=4.0))
        return name

    def would_evict(self, pods: set[str]) -> None:
        """Wait until these pods are candidates, refused only because the policy is paused."""
        wait_until(
            lambda: {name for name, rail in self.refusals().items() if rail == "paused"} >= pods,
            f"{sorted(pods)} to be refused for the pause",
            timeout=90,
            seen=lambda: self.services.report().get("lastRun"),
        )

    def refusals(self) -> dict[str, str]:
        """Return the rail that refused each pod (or, without a pod, each node) in the last cycle."""
        lines = self.services.report().get("lastRun", {}).get("decisions", [])
        return {line.get("pod", line.get("node", "")).rpartition("/")[2]: line.get("rail", "") for line in lines}

    def standing(self, node: str) -> dict[str, Any]:
        """Return what the extender says of a node."""
        pod = self.scene.pods()[0]["metadata"]["name"]
        return self.extender.nodes(f"{self.scene.namespace}/{pod}")[node]

    def wait_unknown(self, node: str) -> None:
        """Wait until the extender knows nothing of a node."""
        wait_until(
            lambda: self.standing(node)["confidence"] == "unknown",
            f"{node} to be unknown",
            timeout=20,
            seen=lambda: self.standing(node),
        )

    def wait_remark(self, begins: str, contains: str) -> None:
        """Wait until the extender's readiness tells of a trouble; it does so with its next poll."""
        wait_until(
            lambda: any(one.startswith(begins) and contains in one for one in self.extender.readyz()["remarks"]),
            f"a remark {begins}… {contains}",
            timeout=20,
            seen=self.extender.readyz,
        )

    def bind(self, name: str, node: str = "") -> str:
        """Create a pod, for one node if one is given, and return where it is bound."""
        selector = {"kubernetes.io/hostname": node} if node else {}
        self.scene.pod(name, PodShape(scheduler=SCHEDULER, node_selector=selector))
        return self.scene.wait_bound(name, timeout=20)


def policy(url: str, namespace: str, *, extra: Mapping[str, Any] | None = None, **eviction: Any) -> str:
    """Return a fast policy that enforces in one namespace."""
    fast = {
        "minPodAge": "0s",
        "minReadyReplicas": 0,
        "readyFor": "1s",
        "limits": [{"scope": "cluster", "max": 50, "window": "10m"}],
    }
    return yaml.safe_dump(
        {
            "apiVersion": "bayplan.dev/v1alpha1",
            "kind": "Policy",
            "scope": {"namespaces": {"include": [namespace]}, "schedulerNames": [SCHEDULER]},
            "signals": {
                "prometheus": {"url": url, "timeout": "1s"},
                "step": "1s",
                "staleAfter": f"{STALE_AFTER:g}s",
                "resources": {"cpu": CPU, **(extra or {})},
            },
            "buoyancy": {"descheduleAfter": "3s"},
            "eviction": {"mode": "enforce", "paused": True} | fast | eviction,
        },
        sort_keys=False,
    )


@pytest.fixture(scope="module")
def rig(plane: ControlPlane) -> Iterator[Rig]:
    """Everything running with a paused policy, and no node yet."""
    scene = Scene(plane)
    with ExitStack() as stack:
        stack.callback(scene.close)
        services = stack.enter_context(installed(plane))
        exporter = stack.enter_context(Exporter())
        figures = NodeFigures(Figures())
        exporter.put("figures", figures.figures.exposition)
        jobs = [scrape("figures", exporter.address)]
        prometheus = stack.enter_context(Prometheus(plane.run, jobs, name="prometheus-failing"))
        paused = policy(prometheus.url, scene.namespace)
        extender = stack.enter_context(services.extender(paused))
        plane.start_scheduler(SCHEDULER, configs.with_extender(extender.url))
        stack.callback(plane.stop_scheduler, SCHEDULER)
        descheduler = stack.enter_context(services.descheduler(paused))
        yield Rig(scene, services, exporter, prometheus, figures, extender, descheduler)


def spinning(rig: Rig) -> Program:
    """Return one process that takes what it can get of a CPU."""
    name = f"spinning-{time.monotonic_ns()}"
    return rig.scene.plane.run.program(Command(name=name, arguments=[*SPINNING, "1"]))


HOT, CALM = NodeUse(cpu=0.95, cpu_pressure=0.4), NodeUse(cpu=0.2)


@dataclass(frozen=True)
class Troubled:
    """Nodes that are in trouble, each with a pod that would have to go, by what becomes of their figures."""

    good: str
    nan: str
    silent: str
    killed: str
    pods: Mapping[str, str]


def in_trouble(rig: Rig) -> Troubled:
    """Bring four nodes of sixteen into trouble; the real node_exporter of one is killed in the end."""
    # Three of sixteen fail: more than that, and too little of the cluster is known to evict anybody.
    good, nan, silent, killed, *calm = rig.scene.nodes(16)
    pods = {node: rig.put(app, node) for app, node in (("g", good), ("n", nan), ("s", silent), ("k", killed))}
    for node in (good, nan, silent, *calm):
        rig.figures.node(node, HOT if node not in calm else CALM)
    run = rig.scene.plane.run
    real = node_exporter.node_exporter(run)
    with ExitStack() as stack:
        stack.enter_context(real)
        for _ in range(2 * cpus()):
            stack.enter_context(spinning(rig))
        measured = scrape("node-exporter", node_exporter.address(run), labels={"instance": f"{killed}:9100"})
        rig.prometheus.scrape([scrape("figures", rig.exporter.address), measured])
        rig.would_evict(set(pods.values()))
        real.kill()
    return Troubled(good, nan, silent, killed, pods)


def fail_figures(rig: Rig, nodes: Troubled) -> None:
    """Let one node have no figures any more, and another one such that are no number."""
    rig.figures.silence_node(nodes.silent)
    for cpu in range(HOT.cpus):
        labels = {"instance": f"{nodes.nan}:9100", "job": "node-exporter", "cpu": str(cpu), "mode": "idle"}
        rig.figures.figures.gauge("node_cpu_seconds_total", float("nan"), labels)


@pytest.mark.timeout(300)
def test_nodes_whose_figures_fail_are_unknown_and_only_the_well_measured_one_is_relieved(
    rig: Rig, record_property: Callable[[str, object], None]
) -> None:
    nodes = in_trouble(rig)
    ended = time.monotonic()

    fail_figures(rig, nodes)
    rig.wait_unknown(nodes.killed)
    took = time.monotonic() - ended
    for node in (nodes.silent, nodes.nan):
        rig.wait_unknown(node)
    rig.use(paused=False)

    record_property("unknown after (s)", f"{took:.1f}")
    assert took < STALE_AFTER + BUSY
    assert raw_headroom(rig, nodes.killed) < 0, "without its age this node would be in trouble still"
    relieved = [nodes.pods[nodes.good]]
    wait_until(lambda: rig.scene.evicted() == relieved, "the well measured node to be relieved", timeout=30)
    assert rig.bind("pinned", nodes.killed) == nodes.killed
    assert rig.bind("free") != ""
    assert told_of_failures(rig) == {"nan": (1, 1), "unknown": 3, "fresh": 13}
    never(lambda: rig.scene.evicted() != relieved, "another eviction", during=5)


def told_of_failures(rig: Rig) -> dict[str, object]:
    """Return what the metrics say: nodes that are NaN by each service, unknown and fresh ones by the extender."""
    extender, descheduler = rig.extender, rig.descheduler
    signals = {"name": "bayplan_extender_signal_nodes", "resource": "cpu"}
    objects = {"name": "bayplan_descheduler_signal_objects", "signal": "cpu.node"}
    for service, labels in ((extender, signals), (descheduler, objects)):
        assert sum(service.metric(state=state, **labels) for state in ("stale", "missing")) >= 1, labels["name"]
    return {
        "nan": (extender.metric(state="nan", **signals), descheduler.metric(state="nan", **objects)),
        "unknown": extender.metric("bayplan_extender_nodes", confidence="unknown"),
        "fresh": extender.metric(state="fresh", **signals),
    }


def raw_headroom(rig: Rig, node: str) -> float:
    """Return a node's headroom by use and pressure as Prometheus gives them, whatever their age."""
    values = (rig.prometheus.query(str(CPU[field])) for field in ("node", "pressure"))
    return 1 - sum(value for found in values for labels, value in found if labels["instance"] == f"{node}:9100")


@pytest.mark.timeout(300)
def test_nobody_is_evicted_while_a_query_fails_or_prometheus_is_down(rig: Rig) -> None:
    rig.use(paused=True)
    hot, *calm = rig.scene.nodes(4)
    pod = rig.put("taker", hot)
    before = rig.scene.evicted()
    for node in (hot, *calm):
        rig.figures.node(node, HOT if node == hot else CALM)
    rig.would_evict({pod})

    rig.use(paused=False, extra={"llc": BROKEN})

    wait_until(lambda: rig.refusals().get(hot) == "coverage", "the refusal", timeout=20, seen=rig.refusals)
    assert "many-to-many" in rig.descheduler.readyz()["signals"]["llc.node"]
    rig.wait_remark("llc.node: ", "many-to-many")
    assert rig.descheduler.metric("bayplan_descheduler_signal_failed", signal="llc.node") == 1
    assert rig.standing(hot)["confidence"] == "partial"
    assert rig.bind("while-a-query-fails") != ""

    rig.prometheus.program.kill()

    rig.wait_unknown(hot)
    rig.use(paused=False)
    assert rig.bind("while-prometheus-is-down", hot) == hot
    assert rig.extender.readyz()["ready"]
    assert rig.extender.metric("bayplan_extender_signal_nodes", resource="cpu", state="fresh") == 0
    rig.wait_remark("cpu.node: ", "refused")
    wait_until(
        lambda: rig.descheduler.metric("bayplan_descheduler_signal_failed", signal="cpu.node") == 1,
        "the failure in the descheduler's metrics",
        timeout=20,
    )
    assert rig.descheduler.readyz()["ready"]
    assert rig.descheduler.readyz()["signals"].keys() >= {"cpu.node", "cpu.age"}
    never(lambda: rig.scene.evicted() != before, "an eviction without any figures", during=5)

    rig.prometheus.program.start()

    wait_until(lambda: rig.scene.evicted() == [*before, pod], "the eviction on good figures again", timeout=90)
    wait_until(
        lambda: rig.extender.metric("bayplan_extender_signal_nodes", resource="cpu", state="fresh") > 0,
        "the extender to know nodes again",
        timeout=30,
    )
