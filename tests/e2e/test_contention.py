"""The whole chain on real signals: the kernel's pressure, a real node_exporter, a real Prometheus, the shipped preset.

One node's pods are groups of processes on this machine. What an operator must set is set: where Prometheus is, and
`enforce`. Two durations are short so that the test takes minutes: `descheduleAfter` is 30 s instead of 3 min (three
evaluations instead of thirteen) and `minPodAge` 0 s instead of 5 min. Everything else is the preset kubelet-psi.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from controlplane import configs
from controlplane.exporter import Exporter
from controlplane.figures import Figures
from controlplane.node_figures import NodeFigures, NodeUse, Place, PodUse
from controlplane.objects import NodeShape, PodShape
from controlplane.programs import node_exporter
from controlplane.programs.prometheus import Prometheus, scrape
from controlplane.waiting import wait_until
from launching.services import Service
from tests.e2e.bystanders import Bystanders, cpus
from tests.e2e.contention import Demand, Kubelet, NoGroupsError, hierarchy
from tests.e2e.scenes import Scene, node_of
from tests.e2e.services import Extender, Services, preset

# Twice as many spinning processes as CPUs saturate any machine; a fifth of a CPU is little on the smallest.
TAKER, SUFFERER = Demand(2 * cpus()), Demand(1, share=0.2)
SCHEDULER = "bayplan-scheduler"
# Looking twenty times a second would itself be load on the machine that is measured.
wait_calmly = functools.partial(wait_until, interval=1.0)
# More than this of the machine in use by others, and one node cannot float whatever becomes of its pods.
QUIET = 0.3


@dataclass(frozen=True)
class Site:
    """A real node, three made-up calm ones, and everything that runs for them."""

    scene: Scene
    node: str
    kubelet: Kubelet
    prometheus: Prometheus
    extender: Extender
    descheduler: Service

    def standing(self) -> dict[str, Any]:
        """Return what the extender knows of the real node."""
        pod = self.pod("sufferer")
        return self.extender.nodes(f"{self.scene.namespace}/{pod}").get(self.node, {})

    def headroom(self) -> float:
        """Return the real node's headroom as the extender knows it; not known counts as none."""
        return float(self.standing().get("headroom") or 0.0)

    def pod(self, app: str) -> str:
        """Return the app's pod on the real node."""
        found = [pod["metadata"]["name"] for pod in self.scene.pods(app) if node_of(pod) == self.node]
        return str(found[0]) if found else ""

    def felt(self, pod: str) -> tuple[float, float]:
        """Return the cores that a pod used and the share of time that it waited for one, over the last 30 s."""
        named = f'{{pod="{pod}",container="main"}}[30s]'
        use = self.prometheus.value(f"sum(rate(container_cpu_usage_seconds_total{named}))")
        waiting = self.prometheus.value(f"max(rate(container_pressure_cpu_waiting_seconds_total{named}))")
        return use or 0.0, waiting or 0.0


@pytest.fixture
def site(scene: Scene, services: Services) -> Iterator[Site]:
    """Everything running, and the real node's pods bound, but without processes yet."""
    try:
        hierarchy()
    except NoGroupsError as reason:
        pytest.skip(str(reason))
    run = scene.plane.run
    (node,) = scene.nodes(1, NodeShape(cpu=str(cpus())))
    calm = scene.nodes(2)
    with ExitStack() as stack:
        exporter = stack.enter_context(Exporter())
        stack.enter_context(node_exporter.node_exporter(run))
        kubelet = Kubelet(run, scene.api.clone(), node=node, demands={"taker": TAKER, "sufferer": SUFFERER})
        jobs = [
            scrape("kubelet", exporter.address, path="/metrics/kubelet"),
            scrape("figures", exporter.address, path="/metrics/figures"),
            scrape("node-exporter", node_exporter.address(run), labels={"instance": f"{node}:9100"}),
        ]
        exporter.put("kubelet", kubelet.exposition)
        prometheus = stack.enter_context(Prometheus(run, jobs, interval="5s", name="prometheus-contention"))
        policy = preset(
            "kubelet-psi",
            signals={"prometheus": {"url": prometheus.url}},
            buoyancy={"descheduleAfter": "30s"},
            eviction={"mode": "enforce", "minPodAge": "0s"},
        )
        extender = stack.enter_context(services.extender(policy, on=node))
        scene.plane.start_scheduler(SCHEDULER, configs.with_extender(extender.url))
        stack.callback(scene.plane.stop_scheduler, SCHEDULER)
        for app in ("taker", "sufferer"):
            scene.deployment(app, 3, PodShape(scheduler=SCHEDULER, spec=one_a_node(app)))
        calm += scene.nodes(1)
        exporter.put("figures", calm_figures(scene, calm).exposition)
        descheduler = stack.enter_context(services.descheduler(policy, interval="3s"))
        yield Site(scene, node, kubelet, prometheus, extender, descheduler)


def one_a_node(app: str) -> dict[str, Any]:
    """Return a pod specification that keeps replicas apart."""
    apart = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": app}}}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}}


def calm_figures(scene: Scene, nodes: list[str]) -> Figures:
    """Return figures of nodes without trouble, and of their pods."""
    made = NodeFigures(Figures())
    for name in nodes:
        made.node(name, NodeUse(cpu=0.2))
    for pod in scene.pods():
        if node_of(pod) in nodes:
            made.pod(Place(scene.namespace, pod["metadata"]["name"], node_of(pod)), PodUse(cpu=0.1))
    return made.figures


@pytest.mark.timeout(480)
def test_taker_of_a_really_contended_node_is_moved_and_the_node_floats(
    site: Site, record_property: Callable[[str, object], None]
) -> None:
    scene, taker, sufferer = site.scene, site.pod("taker"), site.pod("sufferer")
    wait_calmly(
        lambda: site.standing().get("confidence") == "full", "the first figures", timeout=60, seen=site.standing
    )
    floats(site, "the idle node to float")

    with site.kubelet:
        wait_calmly(lambda: site.headroom() < 0, "the node to be oversubscribed", timeout=120, seen=site.standing)
        assert site.standing()["contested"] == "cpu"
        wait_calmly(scene.evictions, "an eviction", timeout=150, seen=lambda: site.descheduler.program.tail(5))
        takes, waits = site.felt(taker), site.felt(sufferer)
        record_property("cores and share of time waited, taker and sufferer", rounded(*takes, *waits))

        assert [(request.name, request.code) for request in scene.evictions()] == [(taker, 201)]
        assert takes[0] > 2 * waits[0], f"the taker is to use more: {takes} against {waits}"
        assert waits[1] > 0.1, f"the sufferer is to feel the pressure: {waits}"

        wait_calmly(lambda: site.kubelet.pods == [sufferer], "the taker's processes to be ended", timeout=30)
        landing = wait_calmly(lambda: landed(scene, taker), "the landing to be recorded", timeout=90)
        assert (landing["state"], landing["landing"]) == ("Accepted", "Moved")
        assert landing["node"] != site.node
        assert landing["before"]["headroom"] < 0

        floated, others = floats(site, "the node to float again")
        record_property("headroom before and after", rounded(landing["before"]["headroom"], site.headroom()))
        record_property("share of the machine in use by others", rounded(others))
    assert [request.name for request in scene.evictions()] == [taker]
    if not floated:
        pytest.skip(f"evicted and moved, but others take {others:.0%} of this machine: its node cannot float")


def rounded(*figures: float) -> list[float]:
    """Return figures for people."""
    return [round(figure, 2) for figure in figures]


def landed(scene: Scene, pod: str) -> dict[str, Any]:
    """Return the status of the pod's record once its replacement has landed; nothing before."""
    record = Services(scene.plane).record_of(pod)
    status: dict[str, Any] = {} if record is None else record["status"]
    return status if status.get("landing", "Pending") != "Pending" else {}


def floats(site: Site, what: str) -> tuple[bool, float]:
    """Wait until the real node floats, or it is plain that others keep it from that; return both: it does, their share.

    A window of a minute has to pass before the node's figures are without what was there before.
    """
    others = Bystanders()
    found = wait_calmly(
        lambda: "floats" if site.headroom() > 0 else others.watched > 80 and others.share() > QUIET,
        what,
        timeout=120,
        seen=lambda: (others.share(), site.standing()),
    )
    return found == "floats", others.share()
