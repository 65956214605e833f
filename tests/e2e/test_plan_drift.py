"""The world moves on while a plan is made: such a plan evicts nobody; and a blocking run lets nobody be scheduled."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from controlplane.waiting import wait_until
from tests.e2e import doubling
from tests.e2e.doubling import Pair
from tests.e2e.plan_sights import phase_of, reason_of
from tests.e2e.planning import Planning, small
from tests.e2e.solving import held_solver
from tests.e2e.stopping import wait_stopped

# What a blocking run may hold pods for, and by how much later a busy machine may see its beginning, or its end.
HOLDS = 2.0
NOISE = 1.5


def _pod(plans: Planning, pair: Pair) -> None:
    """Scale the workload that waits: nobody needs the place any more."""
    plans.scale(pair.late, 0)
    wait_until(lambda: not plans.scene.pods(pair.late), "the late pod to be gone")


def _victim(plans: Planning, pair: Pair) -> None:
    (pod,) = plans.scene.pods(pair.moved)
    plans.api.delete(plans.pod_path(pod["metadata"]["name"]), gracePeriodSeconds="0")
    # Whether its successor or the late pod is first to be placed nobody knows: the plan need not be in the slot yet.
    wait_until(lambda: plans.api.find(plans.pod_path(pod["metadata"]["name"])) is None, "the victim to be gone")


def _node(plans: Planning, pair: Pair) -> None:
    plans.cordon(pair.free)


def _capacity(plans: Planning, pair: Pair) -> None:
    room = {"cpu": "700m"}
    plans.api.patch(f"/api/v1/nodes/{pair.free}/status", {"status": {"allocatable": room, "capacity": room}})


CHANGES = {"pod": _pod, "victim": _victim, "node": _node, "capacity": _capacity}


@dataclass(frozen=True)
class Case:
    """What changes, and when: while the solver runs, or before the plan's phase is written; and how the plan ends."""

    change: str
    when: str
    end: str = "Aborted"

    def __str__(self) -> str:
        return f"{self.change}-{self.when.replace(':', '-')}"


CASES = [
    Case("pod", "solving"),
    Case("node", "solving"),
    Case("capacity", "solving"),
    Case("victim", "stop-after:Installing"),
    Case("node", "stop-after:Installing"),
    Case("pod", "stop-before:Evicting", end="Completed"),  # scaled away: nothing of it is left to be done
    Case("capacity", "stop-before:Evicting"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_plan_that_the_world_has_overtaken_evicts_nobody(
    plans: Planning, case: Case, record_property: Callable[[str, object], None]
) -> None:
    solver = held_solver(plans.scene.plane, plans.scene.name)
    moment = "" if case.when == "solving" else case.when
    running = doubling.run(plans, moment=moment, **solver.plan)
    pair = running.pair
    solver.wait_runs()
    if moment:
        solver.go()
        wait_stopped(running.descheduler.program)
        solver.hold()

    CHANGES[case.change](plans, pair)
    if moment:
        running.descheduler.program.resume()
    else:
        solver.go()
    plan = plans.wait_end()

    assert phase_of(plan) == case.end, reason_of(plan)
    ended_at = plans.first_seen(case.end)
    assert [call.name for call in plans.scene.evictions() if call.granted and call.at < ended_at] == []
    record_property("reason", reason_of(plan))
    solver.go()
    doubling.all_bound(plans, [pair]) if case.change != "pod" else plans.wait_released()


def test_a_blocking_run_lets_nobody_be_scheduled_for_two_seconds_at_most(
    plans: Planning, record_property: Callable[[str, object], None]
) -> None:
    solver = held_solver(plans.scene.plane, plans.scene.name)
    fields: dict[str, Any] = {
        "eviction": {"minReadyReplicas": 0},
        "blocking": True,
        "trigger": "periodic",
        "interval": "1s",
    }
    policy = plans.policy(**fields, **solver.plan)
    extender = plans.launch_extender(policy)
    (pair,) = doubling.settle(plans, count=1)
    (elsewhere,) = plans.scene.nodes(1, small("8"))
    plans.rules = plans.floor(0)
    plans.serve(extender)
    doubling.late(plans, [pair])
    descheduler = plans.plan_for(policy)
    plans.wait_phase("Computing")
    wait_until(lambda: all(plans.shown().values()), "the extender to show the empty plan")
    shown = time.time()

    plans.workload("other", 5, "100m", nodeSelector={"kubernetes.io/hostname": elsewhere})
    wait_until(lambda: len(plans.bound_at("other")) == 5, "the others to be bound", timeout=20)

    held = min(plans.bound_at("other")) - shown
    record_property("seconds_held", round(held, 2))
    assert held <= HOLDS + NOISE
    assert held >= HOLDS - NOISE
    descheduler.use(plans.policy(**fields))  # a solver that answers in time
    doubling.as_planned(plans, [pair])
