"""A node whose CSINode has no volume left to attach is no destination, however much room it has."""

from collections.abc import Iterator

import pytest

from controlplane.node_figures import NodeFigures
from controlplane.objects import PodShape
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import never, wait_until
from launching.services import Service
from tests.e2e.descheduling import Descheduling, descheduling, rails
from tests.e2e.disks import DRIVER, Disks, lay_out
from tests.e2e.planning import Planning
from tests.e2e.scenes import Scene, summary


@pytest.fixture
def cluster(scene: Scene, prometheus: Prometheus, node_figures: NodeFigures) -> Iterator[Descheduling]:
    """A scene for deschedulers; no node is hot yet."""
    with descheduling(scene, prometheus, node_figures) as made:
        yield made


def test_pod_is_evicted_only_where_its_volume_can_be_attached(cluster: Descheduling) -> None:
    scene, disks = cluster.scene, Disks(cluster.scene)
    (hot,) = scene.nodes(1)
    (victim,) = scene.deployment("big", 1, PodShape(spec={"volumes": disks.claim("data")}))
    (roomy,) = scene.nodes(1)
    there = {"kubernetes.io/hostname": roomy}
    scene.deployment("small", 1, PodShape(spec={"volumes": disks.claim("log")}, node_selector=there))
    disks.limit(hot, 8)
    disks.limit(roomy, 1)
    cluster.heat(hot)
    policy = cluster.policy(minReadyReplicas=0)

    full = cluster.once(policy)

    assert rails(full) == {"big": "no-destination"}, full.log
    assert f"1 attach limit of {DRIVER}" in full.log
    assert cluster.evicted() == []

    disks.limit(roomy, 2)
    disks.claim("gone")
    attachment = disks.attach("gone", roomy)
    lingering = cluster.once(policy)

    assert rails(lingering) == {"big": "no-destination"}, lingering.log
    scene.pod("probe", PodShape(spec={"volumes": disks.claim("probe")}, node_selector=there))
    wait_until(lambda: "max volume count" in summary(scene.pods("probe")[0]), "kube-scheduler to say the same")
    scene.api.delete(f"/api/v1/namespaces/{scene.namespace}/pods/probe", gracePeriodSeconds="0")
    assert cluster.evicted() == []

    scene.api.delete(attachment)
    free = cluster.once(policy)

    assert cluster.evicted() == [victim["metadata"]["name"]], free.log
    assert f" evicted from {hot} to {roomy}" in free.log
    scene.wait_ready("big", 1)


def test_a_plan_moves_nobody_where_his_volume_cannot_be_attached(plans: Planning) -> None:
    disks = Disks(plans.scene)
    first, second = lay_out(plans, disks)
    disks.limit(first, 1)
    policy = plans.policy(eviction={"minReadyReplicas": 0}, trigger="periodic")
    plans.extend(policy)
    service = plans.plan_for(policy)
    plans.workload("waiting", 1, "600m")
    wait_until(lambda: plans.unschedulable("waiting"), "the pod to be refused")
    wait_until(lambda: _pending(service) == 1, "a solve with the pod that waits", timeout=60)

    never(plans.plans, "a plan", during=2)

    disks.limit(first, 2)
    plan = plans.wait_end()

    assert plans.told_of(plan) == ("Completed", {"place": [second], "move": [first]}), service.program.tail(60)
    plans.wait_on("db", first)
    plans.wait_on("waiting", second)
    plans.wait_released()


def _pending(service: Service) -> float:
    """Return how many pods waited for a node when a plan was last looked for."""
    return sum(value for _, value in service.samples("bayplan_descheduler_plan_pending_pods"))
