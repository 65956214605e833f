"""When plans are computed: a failure at once, a queue once it is stable, a state that is known only once."""

import time
from collections.abc import Callable

import pytest

from controlplane.waiting import never, wait_until
from tests.e2e import doubling
from tests.e2e.plan_sights import phase_of
from tests.e2e.planning import Planning, small
from tests.e2e.solving import held_solver
from tests.e2e.stopping import ended

REACTS = 0.5
# Replicas of the extender renew their Leases each 2 s.
RENEWAL = 3.0
# The queue is looked at each 250 ms, and from then on a solve is given up within 100 ms; then a busy machine's delays.
POLL, CANCELS, NOISE = 0.25, 0.1, 0.65
# Seconds in which a run each 500 ms has several chances.
SEVERAL = 2.5


def test_a_failure_to_schedule_brings_a_run_at_once(
    plans: Planning, record_property: Callable[[str, object], None]
) -> None:
    policy = plans.policy(eviction={"minReadyReplicas": 0}, blocking=True)
    plans.rules = plans.floor(0)
    extender, descheduler = plans.launch_extender(policy), plans.launch_descheduler(policy)
    (pair,) = doubling.settle(plans, count=1)
    plans.serve(extender)
    descheduler.program.wait_ready()
    time.sleep(RENEWAL)  # a process that has just started waits to see which replicas live

    doubling.late(plans, [pair])
    plans.wait_phase("Computing")

    took = plans.first_seen("Computing") - plans.refused_at(pair.late)
    record_property("seconds_from_the_condition_to_the_run", round(took, 3))
    assert took <= REACTS
    assert phase_of(plans.wait_end()) == "Completed"
    doubling.as_planned(plans, [pair])


def test_a_change_of_the_queue_cancels_a_solve_that_waited_for_it_to_be_stable(
    plans: Planning, record_property: Callable[[str, object], None]
) -> None:
    solver = held_solver(plans.scene.plane, plans.scene.name)
    policy = plans.policy(
        eviction={"minReadyReplicas": 0}, trigger="stable-queue", stableFor="1s", timeLimit="60s", **solver.plan
    )
    plans.rules = plans.floor(0)
    extender, descheduler = plans.launch_extender(policy), plans.launch_descheduler(policy)
    pairs = doubling.settle(plans)
    plans.serve(extender)
    descheduler.program.wait_ready()
    doubling.late(plans, pairs[:1])
    running = solver.wait_runs()

    doubling.late(plans, pairs[1:])
    wait_until(lambda: ended(running), "the solve to be cancelled", timeout=10, interval=0.002)

    took = time.time() - _created_at(plans, pairs[1].late)
    record_property("seconds_from_the_change_to_the_cancelled_solve", round(took, 3))
    assert took <= POLL + CANCELS + NOISE
    solver.go()
    assert phase_of(plans.wait_end()) == "Completed"
    doubling.as_planned(plans, pairs)


@pytest.mark.parametrize(("proven", "runs"), [(True, 1), (False, 3)], ids=["proven", "unproven"])
def test_a_state_that_was_solved_is_not_solved_again(plans: Planning, *, proven: bool, runs: int) -> None:
    solver = held_solver(plans.scene.plane, plans.scene.name, proven=proven)
    solver.go()
    policy = plans.policy(eviction={"minReadyReplicas": 0}, trigger="periodic", interval="500ms", **solver.plan)
    extender = plans.launch_extender(policy)
    (node,) = plans.scene.nodes(1, small())
    plans.settle("stays", "400m", node)  # it could be moved, but there is nowhere to go
    plans.serve(extender)
    plans.workload("late", 1, "700m")
    plans.rules = plans.waiting("late")
    wait_until(lambda: plans.unschedulable("late"), "the pod to be refused")
    plans.plan_for(policy)

    solver.wait_runs(runs)
    never(lambda: len(solver.runs()) > runs, "another solve of the same state", during=SEVERAL)
    plans.workload("later", 1, "700m")
    plans.rules = plans.waiting("late", "later")
    solver.wait_runs(runs + 1)

    assert plans.evicted() == []


def test_a_single_run_carries_its_plan_to_the_end(plans: Planning) -> None:
    stage = doubling.set_up(plans, count=1)

    plans.placing.services.once(stage.policy, kubeconfig=plans.rights())

    assert plans.phases() == ["Completed"]
    doubling.as_planned(plans, stage.pairs)


def _created_at(plans: Planning, app: str) -> float:
    """Return when a pod of an app was first seen."""
    return next(one.at for one in plans.witness.pods.changes if one.body["metadata"]["labels"]["app"] == app)
