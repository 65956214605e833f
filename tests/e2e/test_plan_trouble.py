"""Plans that do not go as planned: every one ends, says why, and lets go of everything."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from controlplane.objects import Object
from tests.e2e import doubling
from tests.e2e.doubling import Pair
from tests.e2e.plan_sights import phase_of, reason_of
from tests.e2e.planning import Planning
from tests.e2e.stopping import wait_stopped

GRACE = 3


def test_an_eviction_that_is_refused_half_way_ends_the_plan(plans: Planning) -> None:
    stage = doubling.set_up(plans)
    descheduler = plans.plan_for(stage.policy, moment="stop-before:2")
    wait_stopped(descheduler.program)
    (evicted,) = plans.wait_evicted()
    other = next(pair for pair in stage.pairs if not evicted.startswith(pair.moved))

    plans.guard(other.moved)
    descheduler.program.resume()
    plan = plans.wait_end()

    assert _ended(plans, plan, *stage.pairs) == "Aborted"
    assert _codes(plans) == [201, 429]


def test_a_budget_that_closes_after_the_validation_is_seen_before_the_eviction(plans: Planning) -> None:
    running = doubling.run(plans, moment="stop-before:Evicting")
    wait_stopped(running.descheduler.program)

    plans.guard(running.pair.moved)
    running.descheduler.program.resume()
    plan = plans.wait_end()

    assert _ended(plans, plan, running.pair) == "Aborted"
    assert _codes(plans) == []


def test_a_pod_that_hangs_in_termination_times_the_plan_out(plans: Planning) -> None:
    running = doubling.run(plans, moment="stop-before:Evicting", realiseWithin="4s")
    wait_stopped(running.descheduler.program)
    kubelets = plans.scene.plane.programs["kwok"]
    kubelets.pause()  # nobody ends the pod
    running.descheduler.program.resume()

    try:
        plan = plans.wait_end()
    finally:
        kubelets.resume()

    assert _ended(plans, plan, running.pair) == "TimedOut"


@dataclass(frozen=True)
class Turn:
    """What somebody does to the planned workload while the plan is carried out, and how the plan may end."""

    act: Callable[[Planning, Pair], None]
    ends: tuple[str, ...]


def _roll_out(plans: Planning, pair: Pair) -> None:
    template = {"metadata": {"annotations": {"changed": "yes"}}}
    plans.api.patch(plans.workload_path(pair.moved), {"spec": {"template": template}})


def _scale_up(plans: Planning, pair: Pair) -> None:
    plans.scale(pair.moved, 2)


def _scale_down(plans: Planning, pair: Pair) -> None:
    plans.scale(pair.moved, 0)


TURNS = {
    "a-rollout": Turn(_roll_out, ("Aborted",)),
    "an-extra-pod-takes-the-quota": Turn(_scale_up, ("Completed", "TimedOut", "Aborted")),
    "a-scale-down-below-the-quota": Turn(_scale_down, ("Completed",)),
}


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_planned_workload_that_changes(
    plans: Planning, turn: Turn, record_property: Callable[[str, object], None]
) -> None:
    pair = doubling.run(plans, realiseWithin="4s", grace=GRACE).pair
    plans.wait_evicted()

    turn.act(plans, pair)
    plan = plans.wait_end()

    record_property("end", f"{phase_of(plan)}: {reason_of(plan)}")
    assert phase_of(plan) in turn.ends
    plans.wait_released()
    assert plans.wait_told(plan) == reason_of(plan)
    if turn.act is _scale_down:
        plans.wait_on(pair.late, pair.full)
    else:
        doubling.room(plans, pair)
        plans.scene.wait_ready(pair.late, 1)
        plans.scene.wait_ready(pair.moved, 2 if turn.act is _scale_up else 1, timeout=60)


def _codes(plans: Planning) -> list[int]:
    """Return how each call of the Eviction API was answered."""
    return [call.code for call in plans.scene.evictions() if not call.dry_run]


def _ended(plans: Planning, plan: Object, *pairs: Pair) -> str:
    """Return how a plan ended, once people are told, nothing is kept back, and everybody is bound."""
    plans.wait_released()
    assert plans.wait_told(plan) == reason_of(plan)
    doubling.all_bound(plans, pairs)
    return phase_of(plan)
