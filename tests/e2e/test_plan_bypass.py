"""What a plan cannot hold back: pods that pass no working extender of ours, and those that matter more."""

from collections.abc import Callable

import pytest

from controlplane.objects import PodShape
from controlplane.waiting import wait_until
from tests.e2e import doubling
from tests.e2e.doubling import Pair
from tests.e2e.placing import priority
from tests.e2e.plan_sights import phase_of, reason_of
from tests.e2e.planning import Planning
from tests.e2e.services import Extender

INTRUDER = "250m"  # fits beside the pod that has not been moved yet, and takes what is reserved


def _directly(plans: Planning, node: str, _: Extender) -> None:
    plans.scene.pod("intruder", PodShape(cpu=INTRUDER, spec={"nodeName": node}))


def _by_another_scheduler(plans: Planning, node: str, _: Extender) -> None:
    plans.scene.pod("intruder", PodShape(cpu=INTRUDER, node_selector={"kubernetes.io/hostname": node}))
    plans.scene.wait_bound("intruder")


def _with_higher_priority(plans: Planning, node: str, _: Extender) -> None:
    rank = priority(plans.placing, "high")
    plans.pod("intruder", INTRUDER, priorityClassName=rank, nodeSelector={"kubernetes.io/hostname": node})
    plans.scene.wait_bound("intruder")


def _past_a_dead_extender(plans: Planning, node: str, extender: Extender) -> None:
    extender.program.kill()
    plans.pod("intruder", INTRUDER, nodeSelector={"kubernetes.io/hostname": node})
    plans.scene.wait_bound("intruder")


WAYS = {
    "bound-directly": _directly,
    "by-another-scheduler": _by_another_scheduler,
    "with-higher-priority": _with_higher_priority,
    "past-a-dead-extender": _past_a_dead_extender,
}


@pytest.mark.parametrize("intrude", WAYS.values(), ids=WAYS)
def test_a_plan_that_is_bypassed_stops_before_its_next_eviction(
    plans: Planning,
    intrude: Callable[[Planning, str, Extender], None],
    record_property: Callable[[str, object], None],
) -> None:
    policy = plans.policy(eviction={"minReadyReplicas": 0})
    plans.rules = plans.floor(0)
    pairs = doubling.settle(plans)
    extender = plans.extend(policy)
    doubling.late(plans, pairs)
    descheduler = plans.plan_for(policy, moment="stop-after")
    wait_until(lambda: len(plans.evicted()) == 1, "the first eviction", seen=plans.told)
    remaining = _not_yet(plans, pairs)

    intrude(plans, remaining.full, extender)
    descheduler.program.resume()
    plan = plans.wait_end()

    assert phase_of(plan) == "Aborted"
    assert len(plans.evicted()) == 1
    record_property("reason", reason_of(plan))
    if not extender.program.running:
        extender.program.start()
        extender.program.wait_ready()
    doubling.all_bound(plans, pairs, "intruder")
    plans.wait_released()


def _not_yet(plans: Planning, pairs: list[Pair]) -> Pair:
    """Return the pair whose move has not begun."""
    (evicted,) = plans.evicted()
    return next(pair for pair in pairs if not evicted.startswith(pair.moved))
