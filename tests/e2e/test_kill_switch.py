"""The kill switch of docs/troubleshooting.md: without its ClusterRoleBinding a running descheduler evicts nobody."""

from collections.abc import Iterator
from contextlib import closing

import pytest
import yaml

from controlplane import configs
from controlplane.building import Binaries
from controlplane.clusters import ControlPlane, Options
from controlplane.exporter import Exporter
from controlplane.figures import Figures
from controlplane.node_figures import NodeFigures
from controlplane.programs.prometheus import Prometheus, scrape
from controlplane.waiting import never, wait_until
from tests.e2e.descheduling import Descheduling
from tests.e2e.scenes import Scene
from tests.e2e.shipped import Layout

BINDING = "bayplan-descheduler"


@pytest.fixture
def shipped(binaries: Binaries) -> Iterator[tuple[Layout, Descheduling]]:
    """The layout with the loop, and a scene, on a control plane of its own: the binding is cluster-wide."""
    options = Options(nodes=1, scheduler=configs.without_extender())
    with (
        ControlPlane(binaries, options) as plane,
        Exporter() as exporter,
        Prometheus(plane.run, [scrape("figures", exporter.address)], interval="1s") as prometheus,
    ):
        figures = Figures()
        exporter.put("figures", figures.exposition)
        layout = Layout(plane, "overlays/descheduler-deployment")
        layout.apply()
        with closing(Scene(plane)) as scene:
            yield layout, Descheduling(scene, prometheus, NodeFigures(figures))


def test_without_its_binding_a_running_loop_evicts_nobody(shipped: tuple[Layout, Descheduling]) -> None:
    layout, made = shipped
    pod = layout.wait_running("scheduler", 2)[0]
    node = made.crowd()
    container = layout.container("bayplan-descheduler", "descheduler")
    with container.program("loop", pod, policy=yaml.safe_dump(made.policy())) as loop:
        wait_until(made.leader, "the loop to lead", timeout=40, seen=loop.tail)
        layout.plane.kubectl("delete", "clusterrolebinding", BINDING)
        made.heat(node)
        wait_until(lambda: "403" in loop.tail(200), "the loop to be refused", timeout=30, seen=loop.tail)

        never(made.scene.evictions, "an eviction call", during=3)
        assert made.records() == {}

        layout.apply()
        wait_until(made.evicted, "an eviction after the right is back", timeout=40, seen=loop.tail)
