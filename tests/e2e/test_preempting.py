"""Preemption on a full cluster: none while the filter would refuse the node, then one node, chosen by what it costs."""

import time
from collections.abc import Callable

from controlplane import objects
from controlplane.objects import Object, PodShape
from controlplane.observing import Observer
from controlplane.waiting import wait_until
from tests.e2e.placing import TWO_RESOURCES, Placing, fill, urgent
from tests.e2e.services import Extender

HOLD = 6.0
# Pods have no part of it: without the victims the node is as pressed as with them.
PRESSED = 0.97


def test_nobody_is_preempted_within_max_hold_for_nodes_that_stay_congested(
    placing: Placing, pod_observer: Observer, record_property: Callable[[str, object], None]
) -> None:
    nodes = placing.scene.nodes(3)
    for number, name in enumerate(nodes):
        fill(placing, name, f"low-{number}", "low")
        placing.measure(name, cpu=0.9, io=PRESSED)
    policy = placing.policy(signals=TWO_RESOURCES, maxRefusedNodes="100%", maxHold=f"{HOLD:.0f}s")
    extender = placing.start(policy, measured=3)
    placing.wait_refusable(extender, 3)

    created = time.time()
    urgent(placing)
    # No event of ours wakes a pod whose preemption was vetoed, only in-tree ones do: here bystanders that end.
    ended = 0
    while not _preempted(pod_observer) and time.time() < created + HOLD + 10:
        _bystander(placing, nodes[ended % 3], f"bystander-{ended}")
        ended += 1
        time.sleep(0.5)
    bound_to = placing.scene.wait_bound("urgent")

    first = min(at for at, _ in _preempted(pod_observer))
    record_property("seconds_to_the_first_victim", round(first - created, 2))
    record_property("vetoes", _outcomes(extender, "vetoed"))
    assert first - created >= HOLD
    assert _outcomes(extender, "vetoed") >= 3
    assert [name for _, name in _preempted(pod_observer)] == [f"low-{nodes.index(bound_to)}"]


def test_one_node_is_chosen_by_budgets_then_priority_then_gain(placing: Placing, pod_observer: Observer) -> None:
    guarded, dearer, gains, younger = placing.scene.nodes(4)
    # The more a node gains the more its choice costs, so each rule overrules the next. kube-scheduler alone would
    # take `younger`: between equals it spares the pods that have run for longest.
    for name, cpu, io in ((guarded, 1.4, 0.1), (dearer, 1.2, 0.4), (gains, 1.0, 0.4), (younger, 0.9, 0.8)):
        placing.measure(name, cpu=cpu, io=io)
    fill(placing, gains, "gains", "low")
    time.sleep(1.1)  # start times are whole seconds
    fill(placing, guarded, "guarded", "low")
    placing.scene.create(objects.pdb("guard", app="guarded", minAvailable=1))
    fill(placing, dearer, "dearer", "middle")
    fill(placing, younger, "younger", "low")
    _wait_guarded(placing)
    extender = placing.start(placing.policy(signals=TWO_RESOURCES), measured=4)

    urgent(placing)

    assert placing.scene.wait_bound("urgent") == gains
    assert [name for _, name in _preempted(pod_observer)] == ["gains"]
    assert _outcomes(extender, "passed") == 1


def _bystander(placing: Placing, node: str, name: str) -> None:
    placing.scene.pod(name, PodShape(cpu="10m", spec={"nodeName": node}))
    placing.scene.api.delete(f"/api/v1/namespaces/{placing.scene.namespace}/pods/{name}", gracePeriodSeconds="0")


def _preempted(observer: Observer) -> list[tuple[float, str]]:
    """Return when each victim was first seen to be on its way out, and its name."""
    found: dict[str, float] = {}
    for seen in observer.changes:
        if _is_victim(seen.body):
            found.setdefault(seen.body["metadata"]["name"], seen.at)
    return [(at, name) for name, at in found.items()]


def _is_victim(pod: Object) -> bool:
    conditions = pod["status"].get("conditions", ())
    return any(condition.get("reason") == "PreemptionByScheduler" for condition in conditions)


def _wait_guarded(placing: Placing) -> None:
    path = f"/apis/policy/v1/namespaces/{placing.scene.namespace}/poddisruptionbudgets/guard"
    wait_until(
        lambda: placing.scene.api.get(path)["status"].get("currentHealthy") == 1,
        "the budget to know its pod",
        seen=lambda: placing.scene.api.get(path)["status"],
    )


def _outcomes(extender: Extender, outcome: str) -> float:
    return extender.metric("bayplan_extender_preemptions_total", outcome=outcome)
