"""Pods that wait because buoyancy refuses every node (maxRefusedNodes 100%), on a real and otherwise quiet cluster."""

import time
from collections.abc import Callable

from controlplane.objects import PodShape
from controlplane.observing import Observer
from controlplane.waiting import never, wait_until
from launching.paths import PODS
from tests.e2e.placing import Placing, going, priority, use_of
from tests.e2e.services import Extender

CONGESTED = 0.95
# What is promised: from the first sample that shows the end of congestion to the binding.
WITHIN = 2.0
HOLD = 4.0
# The attempt that follows the hold, and what a busy machine adds; without an end of the hold it would be minutes.
BUSY = 8.0


def test_waiting_pods_bind_within_two_seconds_of_the_first_sample_that_shows_room(
    placing: Placing, pod_observer: Observer, record_property: Callable[[str, object], None]
) -> None:
    freed, other = placing.scene.nodes(2)
    extender = _congested(placing, freed, other, step="15s", staleAfter="60s")
    names = [f"web-{number}" for number in range(3)]
    for name in names:
        placing.pod(name)
    wait_until(lambda: len(_refused(placing)) == len(names), "all pods to be refused", seen=lambda: _refused(placing))
    # Long enough for the second attempt, which the pod's own condition brings, and its back-off.
    never(placing.bound, "a binding to a congested node", during=3)
    wait_until(lambda: _asks_no_more(extender), "the pods to sleep: nobody asks in vain")
    assert placing.bound() == {}

    placing.measure(freed, cpu=0.3)
    for name in names:
        assert placing.scene.wait_bound(name, timeout=10) == freed

    shown = placing.shown_at(freed, cpu=0.3)
    took = [at - shown for _, at in wait_until(lambda: _all_seen(pod_observer, names), "the sight of all bindings")]
    record_property("seconds_from_sample_to_binding", [round(seconds, 2) for seconds in took])
    assert max(took) <= WITHIN
    own = placing.scene.api.get(f"{PODS}/{extender.name}")
    assert own["metadata"]["annotations"]["bayplan.dev/woken-at"]
    assert extender.metric("bayplan_extender_wakes_total", result="woken") >= 1


def test_pod_binds_after_max_hold_when_congestion_does_not_end(
    placing: Placing, pod_observer: Observer, record_property: Callable[[str, object], None]
) -> None:
    nodes = placing.scene.nodes(2)
    for name in nodes:  # easy prey, were the refusals of the kind that preemption looks at
        spec = {"nodeName": name, "priorityClassName": priority(placing, "low")}
        placing.scene.pod(f"low-on-{name}", PodShape(spec=spec))
    extender = _congested(placing, *nodes, hold=f"{HOLD:.0f}s")
    created = time.time()

    placing.pod("web", priorityClassName=priority(placing, "high"))
    placing.scene.wait_bound("web", timeout=20)

    took = wait_until(lambda: _all_seen(pod_observer, ["web"]), "the sight of the binding")[0][1] - created
    record_property("seconds_to_binding", round(took, 2))
    assert HOLD <= took < HOLD + BUSY
    assert extender.metric("bayplan_extender_emptied_lists_total") >= 1
    assert going(pod_observer) == set()


def test_pods_that_a_killed_extender_left_asleep_are_woken_by_its_successor(placing: Placing) -> None:
    freed, other = placing.scene.nodes(2)
    extender = _congested(placing, freed, other)
    placing.pod("web")
    wait_until(lambda: _refused(placing), "the pod to be refused")
    never(placing.bound, "a binding to a congested node", during=1)

    extender.program.kill()
    placing.measure(freed, cpu=0.3)  # nobody sees it happen
    extender.program.start()

    assert placing.scene.wait_bound("web") == freed


def _congested(placing: Placing, *nodes: str, hold: str = "5m", **signals: object) -> Extender:
    for name in nodes:
        placing.measure(name, cpu=CONGESTED)
    # With a long step the first poll counts, so it must find them.
    sample = f'{use_of("cpu")}{{instance="{nodes[-1]}:9100"}}'
    wait_until(lambda: placing.prometheus.value(sample), "the samples of the nodes")
    policy = placing.policy(signals=signals, maxRefusedNodes="100%", maxHold=hold)
    extender = placing.start(policy, measured=len(nodes))
    placing.wait_refusable(extender, len(nodes))
    return extender


def _refused(placing: Placing) -> list[str]:
    """Return the pods whose condition has our words."""
    conditions = [
        (pod["metadata"]["name"], condition.get("message", ""))
        for pod in placing.scene.pods()
        for condition in pod["status"].get("conditions", ())
    ]
    return [name for name, message in conditions if "node(s) had buoyancy below Bayplan's threshold" in message]


def _asks_no_more(extender: Extender) -> bool:
    """Return whether nothing was asked for a second."""
    asked = _filter_calls(extender)
    time.sleep(1)
    return _filter_calls(extender) == asked


def _filter_calls(extender: Extender) -> float:
    return extender.metric("bayplan_extender_request_seconds_count", verb="filter")


def _all_seen(observer: Observer, names: list[str]) -> list[tuple[str, float]]:
    """Return node and time of the sight of each binding once all were seen."""
    bound = observer.bound()
    return [bound[name] for name in names] if bound.keys() >= set(names) else []
