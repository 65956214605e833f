"""A solution as a plan: entries in the order of their steps, absolute quotas, headcounts, pins, reasons, its size."""

from typing import Any

from descheduler.planning.problems.building import Built, build
from descheduler.planning.problems.plans import to_plan
from policies.plans.quotas import remaining
from policies.values.plans import Plan, PlanAction
from policies.values.pods import Constraints, PodTerm
from policies.values.refusals import Refusal
from policies.values.selectors import LabelSelector, Operator, Requirement
from sources.kube.plans import oversize
from tests.builders import make_cluster, make_node, make_pod, make_workload
from tests.descheduler.planning.problems.paper import (
    TEMPLATE,
    make_policy,
    make_situation,
    paper_cluster,
    placing,
    solution,
)


def plan_of(built: Built, **places: str | None) -> Plan:
    plan = to_plan(built, solution(placing(built, **places), {"U[0]": 0, "D": 1}), TEMPLATE)
    assert isinstance(plan, Plan)
    return plan


def paper_plan() -> Plan:
    return plan_of(build(make_situation(paper_cluster())), pod3="n1", pod4="n2")


def test_the_papers_example_moves_one_pod_and_places_the_other() -> None:
    plan = paper_plan()

    assert [(entry.action, entry.pod, entry.source, entry.target, entry.reason) for entry in plan.entries] == [
        (PlanAction.MOVE, "pod3", "n2", "n1", "makes room on n2 for default/pod4, and fits on n1"),
        (PlanAction.PLACE, "pod4", None, "n2", "fits on n2 once default/pod3 left it"),
    ]
    assert (plan.name, plan.trigger, plan.vector) == ("plan-1", "periodic", {"U[0]": 0, "D": 1})


def test_its_quotas_are_what_the_planned_controllers_shall_have() -> None:
    plan = paper_plan()

    assert [(quota.controller.name, quota.node, quota.wanted) for quota in plan.quotas] == [
        ("four-rs", "n2", 1),
        ("three-rs", "n1", 1),
    ]
    assert [(count.controller.name, count.unplaced, count.replicas) for count in plan.headcounts] == [
        ("four-rs", 0, 1),
        ("three-rs", 0, 1),
    ]
    assert sum(remaining(plan, paper_cluster().pods.values()).values()) == 2


def test_doing_nothing_is_a_plan_without_entries() -> None:
    plan = plan_of(build(make_situation(paper_cluster())))

    assert (plan.entries, plan.quotas, plan.headcounts) == ((), (), ())


def scaled_built(**changes: Any) -> Built:
    """Three pods of one controller on three nodes, and one that waits."""
    pods = [make_pod(f"web-{at}", node=f"n{at}", **changes) for at in range(3)]
    nodes = [make_node(f"n{at}") for at in range(4)]
    waiting = make_pod("web-3", node=None)
    return build(make_situation(make_cluster(nodes, [*pods, waiting], [make_workload("web", wanted=4)])))


def test_quotas_count_the_pods_that_stay_as_well() -> None:
    plan = plan_of(scaled_built(), web_0="n3", web_3="n3")

    assert {quota.node: quota.wanted for quota in plan.quotas} == {"n1": 1, "n2": 1, "n3": 2}
    assert [(count.unplaced, count.replicas) for count in plan.headcounts] == [(0, 4)]


def test_fixed_pods_of_the_controller_count_and_terminating_ones_do_not() -> None:
    pods = [
        make_pod("web-0", node="n1", local_storage=("scratch",)),
        make_pod("web-1", node="n1", terminating=True),
        make_pod("web-2", node=None),
        make_pod("web-3", node=None, gated=True),
        make_pod("web-4", node=None, nominated_node="n1"),
    ]
    built = build(make_situation(make_cluster([make_node("n1"), make_node("n2")], pods)))

    plan = plan_of(built, web_2="n2")

    assert {quota.node: quota.wanted for quota in plan.quotas} == {"n1": 2, "n2": 1}
    assert [count.unplaced for count in plan.headcounts] == [1]


def test_pods_of_another_size_have_a_quota_of_their_own() -> None:
    pods = [make_pod("web-0", node="n1", cpu=200), make_pod("web-1", node=None)]
    built = build(make_situation(make_cluster([make_node("n1"), make_node("n2")], pods)))

    plan = plan_of(built, web_1="n2")

    assert [(quota.node, quota.wanted, quota.requests["cpu"]) for quota in plan.quotas] == [("n2", 1, 100)]


def test_a_bare_pod_is_pinned_and_has_no_quota() -> None:
    built = build(make_situation(make_cluster([make_node("n1")], [make_pod("task", node=None, owner=None)])))

    plan = plan_of(built, task="n1")

    assert plan.pins["uid-task"].target == "n1"
    assert plan.entries[0].reason == "n1 has room for it"
    assert (plan.quotas, plan.headcounts) == ((), ())


def test_an_eviction_says_for_whom_and_is_counted_as_unplaced() -> None:
    pods = [
        make_pod("low", node="n1", workload="low", cpu=900),
        make_pod("high", node=None, workload="high", cpu=900, priority=10),
    ]
    built = build(make_situation(make_cluster([make_node("n1", cpu=1000)], pods)))

    plan = plan_of(built, low=None, high="n1")

    assert [(entry.action, entry.target, entry.reason) for entry in plan.disruptions] == [
        (PlanAction.EVICT, None, "gives way on n1 to default/high")
    ]
    assert [(count.controller.name, count.unplaced) for count in plan.headcounts] == [("high-rs", 0), ("low-rs", 1)]


def test_a_victim_of_a_relief_says_so_and_stays_without_a_place() -> None:
    cluster = make_cluster([make_node("n1"), make_node("n2")], [make_pod("web-0")])
    built = build(make_situation(cluster), relief={"uid-web-0"})

    moved, stays = plan_of(built, web_0="n2"), plan_of(built)

    assert [entry.reason for entry in moved.entries] == ["leaves n1, which is congested, and fits on n2"]
    assert stays.entries == ()


def test_many_names_are_counted() -> None:
    pods = [make_pod(f"w{at}", node=None, workload=f"w{at}", cpu=100) for at in range(5)]
    old = make_pod("old", node="n1", workload="old", cpu=1000)
    built = build(make_situation(make_cluster([make_node("n1", cpu=1000), make_node("n2")], [*pods, old])))

    plan = plan_of(built, old="n2", w0="n1", w1="n1", w2="n1", w3="n1", w4="n1")

    assert plan.entries[0].reason == (
        "makes room on n1 for default/w0, default/w1, default/w2 and 2 more, and fits on n2"
    )


def crowded(count: int, **changes: Any) -> Built:
    """Return a problem of many waiting pods and one node that has room for them all."""
    pods = [make_pod(f"w{at:03}", node=None, workload=f"w{at}", cpu=1, **changes) for at in range(count)]
    return build(make_situation(make_cluster([make_node("n0", cpu=10_000, memory=2**50, pods=900)], pods)))


def test_of_a_plan_of_more_than_500_entries_the_last_placements_are_left_out() -> None:
    built = crowded(502, owner=None)

    plan = to_plan(built, solution(tuple(0 for _ in built.pods)), TEMPLATE)

    assert isinstance(plan, Plan)
    assert [entry.pod for entry in plan.entries] == [f"w{at:03}" for at in range(500)]
    assert plan.vector == {"V[0]": 0, "U[0]": 2, "D": 0}


def test_a_plan_of_too_many_bytes_is_cut_until_it_fits() -> None:
    built = crowded(400, namespace="n" * 250)

    plan = to_plan(built, solution(tuple(0 for _ in built.pods)), TEMPLATE)

    assert isinstance(plan, Plan)
    assert 100 < len(plan.entries) < 400
    assert oversize(plan, "bayplan-system") is None


def test_whom_others_follow_is_never_cut_before_them() -> None:
    anchors = LabelSelector((Requirement("app", Operator.IN, ("z",)),))
    together = PodTerm("kubernetes.io/hostname", anchors, frozenset({"default"}))
    anchor = make_pod("z", node=None, workload="z")
    shy = [
        make_pod(f"w{at:03}", node=None, workload=f"w{at}", cpu=1, constraints=Constraints(affinity=(together,)))
        for at in range(501)
    ]
    built = build(make_situation(make_cluster([make_node("n0", cpu=10_000, memory=2**50, pods=900)], [anchor, *shy])))

    plan = to_plan(built, solution(tuple(0 for _ in built.pods)), TEMPLATE)

    assert isinstance(plan, Plan)
    assert plan.entries[0].pod == "z"


def test_a_plan_that_cannot_be_cut_is_refused_with_the_reason() -> None:
    pods = [make_pod(f"w{at:03}", workload=f"w{at}", cpu=1) for at in range(501)]
    nodes = [make_node(name, cpu=10_000, memory=2**50, pods=900) for name in ("n1", "n2")]
    built = build(make_situation(make_cluster(nodes, pods), make_policy(max_disruptions=500)))

    refusal = to_plan(built, solution(tuple(1 for _ in built.pods)), TEMPLATE)

    assert isinstance(refusal, Refusal)
    assert str(refusal) == "plan-size: the plan is too large for one object: 501 entries; allowed are 500"
