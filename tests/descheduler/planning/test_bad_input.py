"""Clusters with an absurd pod among the others: it is left out or placed, and keeps nobody else from a place."""

import threading

from hypothesis import given, settings
from hypothesis import strategies as st

from descheduler.optimiser.checking import check
from descheduler.optimiser.opening import open_solver, options_of
from descheduler.planning.computing import Computed
from descheduler.planning.trying import Bench
from policies.values.clusters import Cluster
from policies.values.pods import Pod
from policies.values.resources import CPU, PODS, Resources
from simulator.clock import ManualClock
from sources.snapshots.snapshot import Snapshot
from tests import strategies
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.paper import make_policy


def attempt(cluster: Cluster) -> Computed:
    policy = make_policy(time_limit=0.5)
    solver = open_solver(policy.plan, resident=False)
    bench = Bench(
        snapshot=Snapshot(cluster=cluster), policy=policy, own_namespace="own", solver=solver, clock=ManualClock()
    )
    return bench.attempt(threading.Event())


def waiting(name: str, **amounts: int) -> Pod:
    return make_pod(name, node=None, workload=name, requests=Resources({CPU: 100, PODS: 1} | amounts))


def test_what_can_be_placed_is_placed_beside_what_makes_no_sense() -> None:
    pods = [waiting("a", memory=2**70), waiting("b"), make_pod("c", node="gone")]

    computed = attempt(make_cluster([make_node("n1")], pods))

    assert computed.plan is not None
    assert [entry.pod for entry in computed.plan.entries] == ["b"]
    assert computed.built is not None
    assert {refusal.rail for refusal in computed.built.left_out.values()} == {"too-large"}


@settings(max_examples=25, deadline=None)
@given(strategies.clusters(), st.integers(-(2**64), 2**64))
def test_any_cluster_with_any_amount_has_an_answer(cluster: Cluster, amount: int) -> None:
    pods = [*cluster.pods.values(), waiting("odd", cpu=amount, memory=amount)]

    computed = attempt(make_cluster(cluster.nodes.values(), pods))

    assert computed.built is not None
    if computed.solution is not None:
        options = options_of(make_policy().plan)
        assert check(computed.built.problem, computed.solution.assignment, options) == ()
