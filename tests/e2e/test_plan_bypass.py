"""What a plan cannot hold back: pods that pass no working extender of ours, and those that matter more."""

from collections.abc import Callable

import pytest

from controlplane.objects import PodShape
from tests.e2e import doubling
from tests.e2e.placing import priority
from tests.e2e.plan_sights import phase_of, reason_of
from tests.e2e.planning import Planning
from tests.e2e.services import Extender
from tests.e2e.stopping import wait_stopped

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
    stage = doubling.set_up(plans)
    pairs, extender = stage.pairs, stage.extender
    descheduler = plans.plan_for(stage.policy, moment="stop-after")
    wait_stopped(descheduler.program)
    (evicted,) = plans.wait_evicted()
    remaining = next(pair for pair in pairs if not evicted.startswith(pair.moved))

    intrude(plans, remaining.full, extender)
    descheduler.program.resume()
    plan = plans.wait_end()

    assert phase_of(plan) == "Aborted"
    assert plans.evicted() == [evicted]
    record_property("reason", reason_of(plan))
    if not extender.program.running:
        extender.program.start()
        extender.program.wait_ready()
    doubling.all_bound(plans, pairs, "intruder")
    plans.wait_released()
