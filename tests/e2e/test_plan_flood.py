"""A flood of pods that no plan knows, while a plan is carried out: none of them takes what is reserved."""

import statistics
import time
from collections import Counter
from collections.abc import Callable

import pytest

from controlplane.objects import NodeShape
from controlplane.waiting import wait_until
from tests.e2e import doubling
from tests.e2e.doubling import Pair
from tests.e2e.flooding import APP, Flood
from tests.e2e.plan_sights import phase_of
from tests.e2e.planning import Planning
from tests.e2e.scenes import node_of

PACE = 20.0
# Small enough to fit into everything that is reserved, and beside it for a while.
CPU = "50m"
GRACE = 6
# The nodes that the moved pods go to have 0.2 cores left then.
BESIDE = 4


@pytest.mark.parametrize("hold", ["reservations", "all"])
def test_no_pod_that_passes_the_extender_takes_what_is_reserved(
    plans: Planning, hold: str, record_property: Callable[[str, object], None]
) -> None:
    plans.scene.nodes(1, NodeShape(cpu="32", pods=1000))
    stage = doubling.set_up(plans, grace=GRACE, hold=hold)
    pairs = stage.pairs
    plans.plan_for(stage.policy)
    plans.wait_phase("Evicting")

    before, began = plans.attempts(), time.monotonic()
    with Flood(plans, pace=PACE, cpu=CPU):
        plan = plans.wait_end()
        rate = (plans.attempts() - before) / (time.monotonic() - began)

    assert phase_of(plan) == "Completed"
    doubling.as_planned(plans, pairs)
    wait_until(lambda: all(node_of(pod) for pod in plans.scene.pods(APP)), "the flood to be bound", timeout=60)
    waited = _waited(plans)
    record_property("pods_of_the_flood_during_the_plan", len(waited))
    figures = {"mean": statistics.mean(waited), "median": statistics.median(waited), "max": max(waited)}
    record_property("seconds_until_they_were_bound", {name: round(value, 2) for name, value in figures.items()})
    record_property("scheduling_attempts_a_second", round(rate))
    assert _overdrawn(plans, pairs) == []
    if hold == "reservations":
        # They fit elsewhere, so they need not wait for the plan, whose victims take GRACE seconds to end.
        assert statistics.median(waited) < GRACE / 2
    else:
        assert max(waited) > GRACE / 2


def _waited(plans: Planning) -> list[float]:
    """Return for how long each pod of the flood that came during the plan waited for its node."""
    ended = plans.first_seen("Completed")
    first: dict[str, float] = {}
    for seen in plans.witness.pods.changes:
        first.setdefault(seen.body["metadata"]["name"], seen.at)
    bound = plans.witness.pods.bound()
    return [bound[name][1] - at for name, at in first.items() if name.startswith(APP) and name in bound and at < ended]


def _overdrawn(plans: Planning, pairs: list[Pair]) -> list[str]:
    """Name the nodes on which the flood had more pods than fit beside what is promised there, full ones first."""
    on = Counter(node for name, (node, _) in plans.witness.pods.bound().items() if name.startswith(APP))
    allowed = {pair.full: 0 for pair in pairs} | {pair.free: BESIDE for pair in pairs}
    return [f"{on[node]} on {node}, {most} fit" for node, most in allowed.items() if on[node] > most]
