"""A cluster that makes no sense gets "nothing to do" or a plan that can be carried out, never an exception."""

import threading

import pytest

from descheduler.optimiser.guarding import GuardedSolver
from descheduler.optimiser.opening import in_process
from descheduler.optimiser.solution import Options, Solution
from descheduler.planning.problems.building import build
from descheduler.planning.problems.plans import to_plan
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.pods import Constraints, PodTerm
from policies.values.resources import NOTHING, PODS
from policies.values.selectors import LabelSelector, Operator, Requirement
from tests.builders import make_cluster, make_node, make_pod, make_resources
from tests.descheduler.planning.problems.paper import TEMPLATE, make_situation

QUICK = Options(deterministic=0.2, workers=1)
HUGE = 2**63 - 1
INT32 = (-(2**31), 2**31 - 1)


def near(app: str) -> Constraints:
    """Return the wish to stand on a node with a pod of this app."""
    selector = LabelSelector((Requirement("app", Operator.IN, (app,)),))
    return Constraints(affinity=(PodTerm("kubernetes.io/hostname", selector, frozenset({"default"})),))


TWO = (make_node("n1", cpu=1000), make_node("n2", cpu=1000))
FULL = tuple(make_pod(f"old-{n}", node=f"n{n}", workload=f"old-{n}", cpu=400) for n in (1, 2))
WAITING = make_pod("new-0", node=None, workload="new", cpu=700)
CLUSTERS: dict[str, Cluster] = {
    "nothing at all": make_cluster(),
    "pods without nodes": make_cluster([], [*FULL, WAITING]),
    "pods on unknown nodes": make_cluster(TWO, [make_pod("lost-0", node="gone", workload="lost"), *FULL, WAITING]),
    "a pod that asks for less than nothing": make_cluster(
        TWO, [*FULL, WAITING, make_pod("odd-0", node="n1", cpu=-500)]
    ),
    "a waiting pod that asks for less than nothing": make_cluster(TWO, [*FULL, make_pod("odd-0", node=None, cpu=-500)]),
    "pods that ask for nothing": make_cluster(
        TWO, [make_pod(f"odd-{n}", node=None, workload=f"odd-{n}", requests=NOTHING) for n in range(4)]
    ),
    "a pod beyond 64 bits": make_cluster(TWO, [*FULL, make_pod("odd-0", node=None, cpu=HUGE * 1000)]),
    "a running pod beyond 64 bits": make_cluster(TWO, [*FULL, WAITING, make_pod("odd-0", node="n1", cpu=HUGE * 1000)]),
    "a node with less than nothing": make_cluster([make_node("n1", cpu=-1000, pods=-5), *TWO[1:]], [*FULL, WAITING]),
    "a node without amounts": make_cluster([make_node("n1", allocatable=NOTHING), *TWO[1:]], [*FULL, WAITING]),
    "nodes beyond 64 bits": make_cluster(
        [make_node(f"n{n}", cpu=HUGE * 8, memory=HUGE * 8) for n in (1, 2)], [*FULL, WAITING]
    ),
    "nodes that shrank below their use": make_cluster(
        [make_node("n1", cpu=100), make_node("n2", cpu=100)], [*FULL, WAITING]
    ),
    "affinity in a circle": make_cluster(
        TWO,
        [
            make_pod("a-0", node=None, workload="a", constraints=near("b")),
            make_pod("b-0", node=None, workload="b", constraints=near("a")),
        ],
    ),
    "priorities at both ends": make_cluster(
        TWO, [make_pod(f"p-{n}", node=None, workload=f"p-{n}", cpu=900, priority=INT32[n % 2]) for n in range(5)]
    ),
    "a running pod of the lowest priority and a waiting important one": make_cluster(
        TWO[:1],
        [
            make_pod("low-0", workload="low", cpu=900, priority=INT32[0]),
            make_pod("high-0", node=None, workload="high", cpu=900, priority=10**9),
        ],
    ),
    "no movable pod": make_cluster(
        TWO, [make_pod(pod.name, node=pod.node, cpu=400, owner=None) for pod in FULL] + [WAITING]
    ),
    "more pods than fit by number": make_cluster(
        [make_node("n1", pods=1)], [make_pod(f"p-{n}", node=None, workload=f"p-{n}") for n in range(3)]
    ),
    "an extended resource that no node has": make_cluster(
        TWO, [make_pod("gpu-0", node=None, requests=make_resources(cpu=1, **{PODS: 1, "example.com/gpu": 1}))]
    ),
    "two pods of one name": make_cluster(
        TWO, [make_pod("twin", uid="uid-1"), make_pod("twin", uid="uid-2", node=None)]
    ),
}


def answer(cluster: Cluster) -> tuple[Solution, object]:
    """Return what comes of a cluster: the guarded answer and the plan of it."""
    built = build(make_situation(cluster))
    solution = GuardedSolver(in_process("bayplan")).solve(built.problem, QUICK, threading.Event())
    return solution, to_plan(built, solution, TEMPLATE)


@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS.keys())
def test_odd_cluster_gets_an_answer(cluster: Cluster) -> None:
    solution, plan = answer(cluster)

    assert "rejected" not in solution.counts
    assert isinstance(plan, Plan)


def test_one_odd_pod_does_not_keep_others_from_a_place() -> None:
    _, plan = answer(CLUSTERS["pods on unknown nodes"])

    assert isinstance(plan, Plan)
    assert {(entry.pod, entry.action.value) for entry in plan.entries} >= {("new-0", "place")}


def test_important_pod_pushes_out_one_of_the_lowest_priority() -> None:
    _, plan = answer(CLUSTERS["a running pod of the lowest priority and a waiting important one"])

    assert isinstance(plan, Plan)
    assert [(entry.pod, entry.action.value) for entry in plan.entries] == [("low-0", "evict"), ("high-0", "place")]


def test_pods_that_wait_for_each_other_are_not_planned() -> None:
    _, plan = answer(CLUSTERS["affinity in a circle"])

    assert isinstance(plan, Plan)
    assert plan.entries == ()
