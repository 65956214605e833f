"""FC-087: what was deleted leaves nothing behind, however many came and went."""

import pytest

from extender.following import Follower
from extender.judging import Judge
from extender.memory import Memory
from policies.values import kinds
from policies.values.pods import Owner
from simulator.clock import ManualClock
from sources.kube.cluster_watch import Change
from tests.builders import make_node, make_pod, make_resources
from tests.extender.fakes import make_state
from tests.extender.test_polling import make_memory
from tests.policies.placement.cases import make_standing
from tests.policies.placement.test_steering import make_record


@pytest.fixture
def memory() -> Memory:
    return make_memory()


def test_fc_087_pods_nodes_workloads_and_records_that_are_gone_are_forgotten(
    memory: Memory, clock: ManualClock
) -> None:
    follow = Follower(memory=memory, clock=clock)
    for number in range(2000):
        owner, requests = Owner("ReplicaSet", f"web-{number}"), make_resources(cpu=number + 1)
        node, record = make_node(f"node-{number % 200}"), make_record(f"u{number}")
        pod = make_pod(f"p{number}", node=node.name, bound_at=clock.now(), owner=owner, requests=requests)
        for kind, value in ((kinds.NODES, node), (kinds.PODS, pod), (kinds.RECORDS, record)):
            follow(Change(kind, None, value))
        if number % 500 == 0:
            memory.board.age(now=clock.now())
        for kind, value in ((kinds.RECORDS, record), (kinds.PODS, pod), (kinds.NODES, node)):
            follow(Change(kind, value, None))
        clock.advance(1.0)
    clock.advance(900.0)
    memory.board.age(now=clock.now())

    census, ledger = memory.census, memory.ledger
    assert (list(census.nodes), len(census), census.requested()) == (["n1"], 0, {})
    assert census._turns == {}
    assert (ledger._by_name, ledger._by_owner) == ({}, {})
    computed = memory.board._computed
    assert computed is not None
    assert computed.standings.nodes == ("n1",)


def test_fc_087_pods_that_were_held_and_deleted_unseen_are_forgotten(clock: ManualClock) -> None:
    state = make_state([make_standing("n1", -0.5)], clock=clock, max_refused_nodes=1.0)
    judge = Judge(state)
    for number in range(500):
        assert judge.filter(make_pod(f"p{number}", node=None), ["n1"]).passed == []
    assert len(state.holding.sleepers()) == 500

    clock.advance(300.0 + 361.0)
    state.holding.sweep(clock.monotonic())
    assert state.holding.sleepers() == {}

    clock.advance(3600.0)
    state.holding.sweep(clock.monotonic())
    assert state.holding._holds == {}
