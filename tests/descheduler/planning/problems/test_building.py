"""A situation as a problem: items, rooms, tiers, budgets, and who is too large for any node."""

from descheduler.planning.problems.building import build
from policies.values.pods import Constraints
from policies.values.resources import PODS
from tests.builders import GIB, make_cluster, make_node, make_pod, make_resources
from tests.descheduler.planning.problems.paper import eligible, make_situation, paper_cluster


def test_the_papers_example_has_two_sites_and_four_items() -> None:
    built = build(make_situation(paper_cluster()))

    assert built.nodes == ("n1", "n2")
    assert [
        (pod.name, item.node, item.requests[0]) for pod, item in zip(built.pods, built.problem.items, strict=True)
    ] == [
        ("pod1", 0, 400),
        ("pod2", 1, 300),
        ("pod3", 1, 400),
        ("pod4", None, 700),
    ]
    assert [site.room[0] for site in built.problem.sites] == [1000, 1000]
    assert built.problem.tiers == 1


def test_fixed_pods_are_taken_off_the_room_and_are_no_items() -> None:
    pods = [make_pod("agent", owner=None, cpu=300), make_pod("web-0", cpu=100)]

    built = build(make_situation(make_cluster([make_node("n1", cpu=1000)], pods)))

    assert [pod.name for pod in built.pods] == ["web-0"]
    assert built.problem.sites[0].room == (700, 8 * GIB - 64 * 2**20, 109)
    assert built.problem.sites[0].allocatable == (1000, 8 * GIB, 110)
    assert built.fixed["uid-agent"].rail == "bare"


def test_a_node_over_its_capacity_has_negative_room() -> None:
    built = build(make_situation(make_cluster([make_node("n1", cpu=200)], [make_pod("agent", owner=None, cpu=300)])))

    assert built.problem.sites[0].room[0] == -100


def test_every_requested_resource_is_a_row_and_no_other() -> None:
    gpu = "example.invalid/gpu"
    asking = make_pod("web-0", node=None, requests=make_resources(cpu=100, **{PODS: 1, gpu: 1}))
    nodes = [make_node("n1", extended={gpu: 2, "example.invalid/unused": 1})]

    built = build(make_situation(make_cluster(nodes, [asking])))

    assert built.problem.resources == ("cpu", "memory", gpu, PODS)
    assert built.problem.items[0].requests == (100, 0, 1, 1)
    assert built.problem.sites[0].room == (4000, 8 * GIB, 2, 110)


def test_tiers_are_the_priorities_of_the_items_most_important_first() -> None:
    pods = [
        make_pod("low", priority=-10, workload="low"),
        make_pod("high", node=None, priority=1000, workload="high"),
        make_pod("mid", priority=0, workload="mid"),
        make_pod("fixed", owner=None, priority=500),
    ]

    built = build(make_situation(make_cluster([make_node("n1")], pods)))

    assert built.priorities == (1000, 0, -10)
    assert {pod.name: item.tier for pod, item in zip(built.pods, built.problem.items, strict=True)} == {
        "low": 2,
        "mid": 1,
        "high": 0,
    }


def test_a_pod_larger_than_every_eligible_node_is_reported_and_left_out() -> None:
    pods = [make_pod("huge", node=None, cpu=5000), make_pod("web-0", node=None, workload="api", cpu=4000)]

    built = build(make_situation(make_cluster([make_node("n1"), make_node("n2")], pods)))

    assert [pod.name for pod in built.pods] == ["web-0"]
    assert str(built.left_out["uid-huge"]) == (
        "too-large: default/huge: larger than each of the 2 eligible nodes if it were empty"
    )


def test_a_pod_that_no_node_may_take_is_left_out() -> None:
    lost = make_pod("lost", node=None, constraints=Constraints(node_selector=(("disk", "ssd"),)))

    built = build(make_situation(make_cluster([make_node("n1")], [lost])))

    assert str(built.left_out["uid-lost"]) == "too-large: default/lost: no node is eligible, whoever moves"


def test_a_victim_that_must_leave_is_an_item_that_may_not_come_back() -> None:
    cluster = make_cluster([make_node("n1", cpu=1000), make_node("n2", cpu=1000)], [make_pod("web-0", cpu=400)])

    built = build(make_situation(cluster), relief={"uid-web-0"})

    assert built.problem.items[0].must_leave
    assert [site.room[0] for site in built.problem.sites] == [1000, 1000]
    assert eligible(built, "web-0") == ["n2"]


def test_old_and_ready_pods_keep_their_place_first() -> None:
    pods = [
        make_pod("new", ready_since=1_800_000_000.0 - 60),
        make_pod("old", ready_since=1_800_000_000.0 - 600),
        make_pod("failing", ready=False, ready_since=None, created_at=0.0),
    ]

    built = build(make_situation(make_cluster([make_node("n1")], pods)))
    ranks = {pod.name: item.keep_first for pod, item in zip(built.pods, built.problem.items, strict=True)}

    assert ranks["failing"] < ranks["new"] < ranks["old"]


def test_pods_of_one_controller_and_size_are_interchangeable_and_bare_ones_are_not() -> None:
    pods = [
        make_pod("web-0", node=None),
        make_pod("web-1", node=None),
        make_pod("web-2", node=None, cpu=200),
        make_pod("task-0", node=None, owner=None),
        make_pod("task-1", node=None, owner=None),
    ]

    built = build(make_situation(make_cluster([make_node("n1")], pods)))
    owners = {pod.name: item.owner for pod, item in zip(built.pods, built.problem.items, strict=True)}

    assert owners["web-0"] == owners["web-1"]
    assert len(set(owners.values())) == 4


def test_an_empty_cluster_is_an_empty_problem() -> None:
    problem = build(make_situation(make_cluster())).problem

    assert (problem.sites, problem.items, problem.tiers, problem.resources) == ((), (), 0, ("cpu", "memory"))
