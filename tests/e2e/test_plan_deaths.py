"""Whoever dies in the midst of a plan, nothing is kept back for longer than promised and nobody is evicted twice."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from controlplane.waiting import wait_until
from tests.e2e import doubling
from tests.e2e.placing import SCHEDULER
from tests.e2e.plan_sights import ENDS, phase_of, reason_of
from tests.e2e.planning import Planning

# An extender that hears nothing of the slot for so long drops the plan; two seconds pass between renewals.
SILENCE = 10.0
NOISE = 2.0
GRACE = 4
SHIFTED = 300.0


@dataclass(frozen=True)
class Death:
    """When the descheduler dies, and how many pods it has evicted by then."""

    moment: str
    evicted: int = 0
    blocking: bool = False


DEATHS = {
    "computing": Death("kill-after:Computing", blocking=True),
    "installing": Death("kill-after:Installing"),
    "evicting": Death("kill-after", evicted=1),
    "realising": Death("kill-after:Realising", evicted=2),
}


@pytest.mark.parametrize("death", DEATHS.values(), ids=DEATHS)
def test_a_plan_whose_descheduler_died_is_let_go_of_and_closed_by_the_next_leader(
    plans: Planning, death: Death, record_property: Callable[[str, object], None]
) -> None:
    stage = doubling.set_up(plans, blocking=death.blocking)
    first = plans.plan_for(stage.policy, moment=death.moment)
    successor = plans.launch_descheduler(stage.policy)

    assert first.program.wait_ended(40) == -9
    died = time.time()
    evicted = plans.wait_evicted(death.evicted) if death.evicted else plans.evicted()
    assert len(evicted) == death.evicted
    wait_until(lambda: not any(plans.shown().values()), "the extender to drop the plan", timeout=SILENCE + NOISE + 5)
    dropped = time.time() - died
    plan = plans.wait_end(timeout=40)

    record_property("seconds_to_the_drop", round(dropped, 1))
    record_property("seconds_to_the_close", round(plans.first_seen(phase_of(plan)) - died, 1))
    record_property("end", f"{phase_of(plan)}: {reason_of(plan)}")
    assert dropped <= SILENCE + NOISE
    assert phase_of(plan) in {"Completed", "Aborted"}
    assert "plan " in successor.program.tail(2000)
    doubling.all_bound(plans, stage.pairs)


@pytest.mark.parametrize(("replicas", "phase"), [(1, "Evicting"), (1, "Realising"), (2, "Evicting")])
def test_a_plan_ends_and_every_pod_binds_although_an_extender_died(
    plans: Planning, replicas: int, phase: str, record_property: Callable[[str, object], None]
) -> None:
    stage = doubling.set_up(plans, grace=GRACE, realiseWithin="8s")
    extenders = [stage.extender] + [plans.launch_extender(stage.policy) for _ in range(replicas - 1)]
    extenders[-1].program.wait_ready()
    plans.plan_for(stage.policy)
    plans.wait_phase(phase)

    extenders[-1].program.kill()
    plan = plans.wait_end()

    record_property("end", f"{phase_of(plan)}: {reason_of(plan)}")
    extenders[-1].program.start()
    extenders[-1].program.wait_ready()
    doubling.all_bound(plans, stage.pairs)
    plans.wait_released()
    assert plans.unbound() == []


def test_a_plan_outlives_its_scheduler(plans: Planning) -> None:
    stage = doubling.set_up(plans, grace=GRACE)
    plans.plan_for(stage.policy)
    plans.wait_phase("Evicting")

    plans.scene.plane.programs[SCHEDULER].kill()
    plans.wait_evicted(len(stage.pairs))
    plans.serve(stage.extender)

    assert phase_of(plans.wait_end()) == "Completed"
    doubling.as_planned(plans, stage.pairs)


def test_a_plan_ends_although_the_api_server_was_gone(
    plans: Planning, record_property: Callable[[str, object], None]
) -> None:
    stage = doubling.set_up(plans, grace=GRACE)
    plans.plan_for(stage.policy)
    plans.wait_phase("Evicting")

    server = plans.scene.plane.programs["kube-apiserver"]
    began = time.monotonic()
    server.kill()
    server.start()
    server.wait_ready()
    record_property("seconds_without_an_api_server", round(time.monotonic() - began, 1))
    plan = plans.wait_end()

    record_property("end", f"{phase_of(plan)}: {reason_of(plan)}")
    doubling.all_bound(plans, stage.pairs)
    plans.wait_released()
    assert plans.unbound() == []


@pytest.mark.parametrize("seconds", [SHIFTED, -SHIFTED])
def test_clocks_that_are_apart_change_nothing(plans: Planning, seconds: float) -> None:
    stage = doubling.set_up(plans)

    plans.plan_for(stage.policy, launcher=(sys.executable, "-m", "tests.e2e.shifted", str(seconds)))

    assert phase_of(plans.wait_end()) == "Completed"
    doubling.as_planned(plans, stage.pairs)
    assert set(plans.phases()) <= set(ENDS)
