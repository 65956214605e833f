"""What the watches tell reaches whom it concerns."""

import pytest

from extender.board import Readings
from extender.following import REPORTS, Follower
from extender.memory import Memory
from policies.values import kinds
from policies.values.plans import PlanSlot
from simulator.clock import ManualClock
from sources.kube.cluster_watch import Change
from tests.builders import NOW, make_node, make_pod, make_resources
from tests.extender.test_polling import make_memory
from tests.policies.placement.measured import make_history
from tests.policies.placement.test_steering import WEB, make_record
from tests.policies.plans.making import make_plan, make_quota


@pytest.fixture
def memory() -> Memory:
    return make_memory()


@pytest.fixture
def follower(memory: Memory, clock: ManualClock) -> Follower:
    return Follower(memory=memory, clock=clock)


def test_a_bound_pod_changes_its_nodes_standing(memory: Memory, follower: Follower) -> None:
    memory.board.take(Readings(history=make_history({"n1": {"cpu": 0.5}})), now=NOW)
    pending, bound = make_pod(node=None), make_pod(bound_at=NOW, requests=make_resources(cpu=2000))

    follower(Change(kinds.PODS, None, pending))
    follower(Change(kinds.PODS, pending, bound))

    assert memory.board.ratings.below == {"n1": 0.0}


def test_a_deleted_pod_leaves(memory: Memory, follower: Follower) -> None:
    pod = make_pod(bound_at=NOW)
    follower(Change(kinds.PODS, None, pod))

    follower(Change(kinds.PODS, pod, None))

    assert len(memory.census) == 0
    assert [turn.ended for turn in memory.census.turns("n1")] == [False, True]


def test_slot_plan_pods_nodes_and_leader_reach_the_plans(
    memory: Memory, follower: Follower, clock: ManualClock
) -> None:
    follower(Change(kinds.PLANS, None, make_plan(make_quota(wanted=2), make_quota(node="n9"))))
    follower(Change(kinds.SLOTS, None, PlanSlot(plan="p", plan_uid="u", revision=1)))
    follower(Change(kinds.PODS, None, make_pod("a")))
    follower(Change(kinds.NODES, None, make_node("n9")))
    follower(Change(kinds.LEASES, ("d", "1"), ("d", "2")))

    sight = memory.plans.sight(make_pod("b", node=None), most_held=0, now=clock.monotonic())

    assert sight is not None
    assert sight.awaited == {"n1": 1, "n9": 1}
    assert sight.force.promised["n9"].room(0).left["cpu"] == 3900
    assert memory.plans.leader_silent_for(clock.monotonic()) == 0

    follower(Change(kinds.NODES, make_node("n9"), None))
    follower(Change(kinds.PODS, make_pod("a"), None))
    assert sight.force.promised["n9"].room(0).left["cpu"] == -100
    assert sight.awaited == {"n1": 2, "n9": 1}
    follower(Change(kinds.SLOTS, PlanSlot(plan="p", plan_uid="u", revision=1), None))
    assert memory.plans.sight(make_pod("b", node=None), most_held=0, now=clock.monotonic()) is None


@pytest.mark.parametrize("bound", [True, False])
def test_a_pod_that_is_bound_or_gone_is_held_no_longer(memory: Memory, follower: Follower, *, bound: bool) -> None:
    pending = make_pod(node=None)
    memory.holding.refuse(pending.uid, now=0.0, until=300.0, asleep=True, wakes=300.0)
    follower(Change(kinds.PODS, None, pending))
    assert memory.holding.sleepers()

    follower(Change(kinds.PODS, pending, make_pod() if bound else None))

    assert memory.holding.of(pending.uid) is None


def test_nodes_come_and_go(memory: Memory, follower: Follower) -> None:
    node = make_node("n2")

    follower(Change(kinds.NODES, None, node))
    assert memory.census.nodes.keys() == {"n1", "n2"}

    follower(Change(kinds.NODES, node, None))
    assert memory.census.nodes.keys() == {"n1"}


def test_a_record_steers_until_it_is_gone_and_each_change_is_told(memory: Memory, follower: Follower) -> None:
    record = make_record()

    follower(Change(kinds.RECORDS, None, record))
    assert memory.ledger.of([WEB]) == (record,)
    assert memory.nudged.is_set()

    memory.nudged.clear()
    follower(Change(kinds.RECORDS, record, None))
    assert memory.ledger.of([WEB]) == ()
    assert memory.nudged.is_set()


def test_the_deschedulers_report_is_taken_in(memory: Memory, follower: Follower) -> None:
    follower(Change(REPORTS, None, {"refusals/pdb": 1}))
    assert memory.reports.totals == {"refusals/pdb": 1}

    follower(Change(REPORTS, {"refusals/pdb": 1}, None))
    assert memory.reports.totals == {}


def test_what_concerns_nobody_is_passed_over(memory: Memory, follower: Follower) -> None:
    follower(Change("secrets", None, object()))
    follower(Change(kinds.PODS, None, None))

    assert len(memory.census) == 0
