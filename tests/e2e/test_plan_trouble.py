"""Plans that do not go as planned: every one ends, says why, and lets go of everything."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from controlplane.objects import Object
from controlplane.waiting import wait_until
from launching.paths import OWN
from tests.e2e import doubling
from tests.e2e.doubling import Pair
from tests.e2e.plan_sights import phase_of, reason_of
from tests.e2e.planning import Planning
from tests.e2e.stopping import stopped

GRACE = 3


def test_an_eviction_that_is_refused_half_way_ends_the_plan(plans: Planning) -> None:
    policy, pairs = _set_up(plans, count=2)
    descheduler = plans.plan_for(policy, moment="stop-before:2")
    wait_until(lambda: len(plans.evicted()) == 1, "the first eviction", seen=plans.told)
    wait_until(lambda: stopped(descheduler.program.pid), "the descheduler to stop before the second one")
    (evicted,) = plans.evicted()
    other = next(pair for pair in pairs if not evicted.startswith(pair.moved))

    plans.guard(other.moved)
    descheduler.program.resume()
    plan = plans.wait_end()

    assert [call.code for call in plans.scene.evictions() if not call.dry_run] == [201, 429]
    _ended(plans, plan, "Aborted", pairs)


def test_a_budget_that_closes_after_the_validation_is_seen_before_the_eviction(plans: Planning) -> None:
    policy, pairs = _set_up(plans)
    descheduler = plans.plan_for(policy, moment="stop-before:Evicting")
    wait_until(lambda: stopped(descheduler.program.pid), "the descheduler to stop before it evicts", timeout=20)

    plans.guard(pairs[0].moved)
    descheduler.program.resume()
    plan = plans.wait_end()

    assert [call for call in plans.scene.evictions() if not call.dry_run] == []
    _ended(plans, plan, "Aborted", pairs)


def test_a_pod_that_hangs_in_termination_times_the_plan_out(plans: Planning) -> None:
    policy, pairs = _set_up(plans, realiseWithin="4s")
    kubelets = plans.scene.plane.programs["kwok"]
    plans.plan_for(policy)
    plans.wait_phase("Installing")
    kubelets.pause()  # nobody ends the pod

    try:
        plan = plans.wait_end()
    finally:
        kubelets.resume()

    _ended(plans, plan, "TimedOut", pairs)


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
    policy, (pair,) = _set_up(plans, realiseWithin="4s", grace=GRACE)
    plans.plan_for(policy)
    wait_until(plans.evicted, "the eviction", seen=plans.told)

    turn.act(plans, pair)
    plan = plans.wait_end()

    record_property("end", f"{phase_of(plan)}: {reason_of(plan)}")
    assert phase_of(plan) in turn.ends
    plans.wait_released()
    _says_why(plans, plan)
    if turn.act is _scale_down:
        plans.wait_on(pair.late, pair.full)
    else:
        doubling.room(plans, pair)
        plans.scene.wait_ready(pair.late, 1)
        plans.scene.wait_ready(pair.moved, 2 if turn.act is _scale_up else 1, timeout=60)


def _set_up(plans: Planning, *, count: int = 1, grace: int = 1, **plan: str) -> tuple[dict[str, object], list[Pair]]:
    policy = plans.policy(eviction={"minReadyReplicas": 0}, **plan)
    plans.rules = plans.floor(0)
    pairs = doubling.settle(plans, count=count, grace=grace)
    plans.extend(policy)
    doubling.late(plans, pairs)
    return policy, pairs


def _ended(plans: Planning, plan: Object, phase: str, pairs: list[Pair]) -> None:
    """Check how a plan ended, that people are told, and that nothing is kept back."""
    assert phase_of(plan) == phase, reason_of(plan)
    plans.wait_released()
    _says_why(plans, plan)
    doubling.all_bound(plans, pairs)


def _says_why(plans: Planning, plan: Object) -> None:
    """Look for the reason as a person would: in the list of plans, and in its events."""
    table = plans.scene.plane.kubectl("-n", OWN, "get", "placementplans")
    name = str(plan["metadata"]["name"])
    (line,) = [line for line in table.splitlines() if line.startswith(name)]
    assert phase_of(plan) in line
    assert reason_of(plan) in line
    assert reason_of(plan)
    wait_until(lambda: plans.ends_told(name), f"the event of the end of {name}", timeout=10)
