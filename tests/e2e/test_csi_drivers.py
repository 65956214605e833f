"""Where a CSIDriver asks for it, a pod with its volumes goes only to nodes that have the driver; Bayplan agrees."""

from collections.abc import Iterator

import pytest

from controlplane.node_figures import NodeFigures
from controlplane.objects import PodShape
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import wait_until
from tests.e2e.descheduling import Descheduling, descheduling, rails
from tests.e2e.disks import DRIVER, Disks
from tests.e2e.scenes import Scene, summary

CSI_DRIVERS = "/apis/storage.k8s.io/v1/csidrivers"


@pytest.fixture
def cluster(scene: Scene, prometheus: Prometheus, node_figures: NodeFigures) -> Iterator[Descheduling]:
    """A scene for deschedulers; no node is hot yet."""
    with descheduling(scene, prometheus, node_figures) as made:
        yield made


@pytest.fixture
def needed(scene: Scene) -> Iterator[None]:
    """The driver asks that no pod with its volumes goes where it is not registered."""
    spec = {"attachRequired": True, "preventPodSchedulingIfMissing": True}
    body = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER}, "spec": spec}
    made = scene.api.create(CSI_DRIVERS, body)
    try:
        assert made["spec"]["preventPodSchedulingIfMissing"] is True
        yield
    finally:
        scene.api.delete(f"{CSI_DRIVERS}/{DRIVER}")


@pytest.mark.usefixtures("needed")
def test_pod_is_evicted_only_where_the_driver_of_its_volume_is(cluster: Descheduling) -> None:
    scene, disks = cluster.scene, Disks(cluster.scene)
    (hot,) = scene.nodes(1)
    disks.limit(hot, 8)
    (victim,) = scene.deployment("big", 1, PodShape(spec={"volumes": disks.claim("data")}))
    (bare,) = scene.nodes(1)
    cluster.heat(hot)
    policy = cluster.policy(minReadyReplicas=0)

    without = cluster.once(policy)

    assert rails(without) == {"big": "no-destination"}, without.log
    assert f"1 no driver {DRIVER}" in without.log
    there = PodShape(spec={"volumes": disks.claim("probe")}, node_selector={"kubernetes.io/hostname": bare})
    scene.pod("probe", there)
    refusal = f"{DRIVER} CSI driver is not installed"
    wait_until(lambda: refusal in summary(scene.pods("probe")[0]), "kube-scheduler to say the same")
    assert cluster.evicted() == []

    disks.limit(bare, 4)
    assert scene.wait_bound("probe") == bare  # kube-scheduler takes it as soon as the driver is there
    registered = cluster.once(policy)

    assert cluster.evicted() == [victim["metadata"]["name"]], registered.log
    assert f" evicted from {hot} to {bare}" in registered.log
    scene.wait_ready("big", 1)
