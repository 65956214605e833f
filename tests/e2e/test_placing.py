"""Where the real kube-scheduler puts pods when it asks the extender: congestion, staleness, spread, exempt pods."""

from typing import Any

from controlplane import objects
from controlplane.objects import PodShape
from controlplane.waiting import wait_until
from launching.paths import PODS
from tests.e2e.placing import SCHEDULER, Placing
from tests.e2e.scenes import node_of

# A node with less than a tenth of its contested resource left takes no new pods: 0.95 is over that, 0.42 far from it.
CONGESTED = 0.95
MODERATE = 0.42
HOST = "kubernetes.io/hostname"


def test_congested_node_gets_no_pods_until_its_signals_are_stale(placing: Placing) -> None:
    hot, cold, cool = placing.scene.nodes(3)
    placing.measure(hot, cpu=CONGESTED)
    placing.measure(cold, cpu=0.1)
    placing.measure(cool, cpu=0.6)
    extender = placing.start(placing.policy(), measured=3)

    by_score = {placing.place(f"by-score-{number}") for number in range(4)}

    assert by_score == {cold}
    # From here on nothing but the requests tells the three apart, and nobody requested anything of the hot node yet.
    placing.measure(cold, cpu=MODERATE)
    placing.measure(cool, cpu=MODERATE)
    placing.figures.silence_node(hot)
    asked = f"{placing.scene.namespace}/by-score-0"
    wait_until(
        lambda: extender.nodes(asked)[hot]["resources"]["cpu"]["state"] == "stale",
        "the signals of the silent node to be stale",
        seen=lambda: extender.nodes(asked)[hot],
    )
    told = extender.nodes(asked)
    assert told[hot]["confidence"] == "unknown"
    assert [told[name]["score"] for name in (hot, cold, cool)] == [6, 6, 6]
    assert hot in {placing.place(f"neutral-{number}", cpu="500m") for number in range(3)}


def test_pods_still_bind_when_every_node_is_congested(placing: Placing) -> None:
    worst, *others = placing.scene.nodes(3)
    placing.measure(worst, cpu=1.5)
    for name in others:
        placing.measure(name, cpu=CONGESTED)
    placing.start(placing.policy(), measured=3)

    # Half of three names, rounded down: the one with the lowest buoyancy is refused, the others take the pods.
    assert {placing.place(f"web-{number}") for number in range(4)} <= set(others)


def test_deployment_with_soft_spread_stays_spread(placing: Placing) -> None:
    nodes = placing.scene.nodes(3)
    for name, use in zip(nodes, (0.2, 0.3, 0.4), strict=True):
        placing.measure(name, cpu=use)
    placing.start(placing.policy(), measured=3)
    spread = {"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "ScheduleAnyway"}
    selector = {"matchLabels": {"app": "web"}}

    pods = placing.scene.deployment(
        "web", 3, placing.shape(topologySpreadConstraints=[spread | {"labelSelector": selector}])
    )

    assert {node_of(pod) for pod in pods} == set(nodes)


def test_clearly_more_buoyant_node_wins_against_the_least_allocated_one(placing: Placing) -> None:
    requested, busy = placing.scene.nodes(2)
    placing.scene.pod("idle", PodShape(cpu="6", spec={"nodeName": requested}))
    placing.measure(requested, cpu=0.1)
    placing.measure(busy, cpu=0.6)
    placing.start(placing.policy(), measured=2)

    assert placing.place("web") == requested


def test_pods_that_must_run_pass_while_every_node_refuses_others(placing: Placing) -> None:
    nodes = placing.scene.nodes(2)
    for name in nodes:
        placing.measure(name, cpu=CONGESTED)
    extender = placing.start(placing.policy(maxRefusedNodes="100%"), measured=2)
    placing.wait_refusable(extender, 2)

    placing.pod("ordinary")
    placing.scene.create(_daemon_set("agent", placing.scene.here(placing.shape())))
    placing.pod("critical", priorityClassName="system-cluster-critical")
    ours = objects.pod(f"{placing.scene.name}-ours", placing.scene.here(placing.shape()))
    path = f"{PODS}/{ours['metadata']['name']}"
    placing.scene.api.create(PODS, ours)

    wait_until(lambda: placing.scene.api.get(path)["spec"].get("nodeName"), "a pod of our own namespace to be bound")
    placing.scene.api.delete(path, gracePeriodSeconds="0")
    assert {node_of(pod) for pod in placing.scene.wait_ready("agent", 2)} == set(nodes)
    assert placing.scene.wait_bound("critical") in nodes
    assert "ordinary" not in placing.bound()


def _daemon_set(name: str, shape: PodShape) -> dict[str, Any]:
    assert shape.scheduler == SCHEDULER
    selector = {"matchLabels": {"app": name}}
    spec = {"selector": selector, "template": objects.pod_template(name, shape)}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name}, "spec": spec}
