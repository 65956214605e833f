"""Plans on fresh state: what has drifted since they were made, and what is not known."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from policies.values.clusters import Cluster
from policies.values.pods import Phase
from tests.builders import make_cluster, make_node, make_pod, make_resources, make_workload
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_pods
from tests.policies.plans.under_way import GONE
from tests.policies.plans.validity import BARE, changed, said


def test_the_papers_plan_is_valid() -> None:
    assert said(the_papers_plan(), the_paper()) is None


DRIFTED: Mapping[str, Cluster] = {
    "default/web-2 on n2 is gone": GONE,
    "default/web-2 on n2 is gone ": changed("web-2", phase=Phase.FAILED),
    "default/web-2 is on n1, the plan takes it off n2": changed("web-2", node="n1"),
    "default/web-2 on n2 is terminating already": changed("web-2", terminating=True),
    "default/web-2 on n2 has other requests than the plan knows": changed("web-2", requests=make_resources(cpu=1)),
    "such pods of ReplicaSet default/big-rs that stay on n3: 1, the plan was made for 0": changed("big-0", node="n3"),
    "such pods of ReplicaSet default/big-rs that stay on n3: 1, the plan was made for 0 ": changed(
        "big-0", nominated_node="n3"
    ),
    "such pods of ReplicaSet default/big-rs that stay on n2: 1, the plan was made for 0": with_pods(
        the_paper(), make_pod("big-1", node="n2", workload="big", cpu=500)
    ),
    "such pods of ReplicaSet default/big-rs that wait for a node: 0, the plan was made for 1": with_pods(
        the_paper(), without=("big-0",)
    ),
    "such pods of ReplicaSet default/big-rs that wait for a node: 0, the plan was made for 1 ": changed(
        "big-0", terminating=True
    ),
    "such pods of ReplicaSet default/big-rs that wait for a node: 2, the plan was made for 1": with_pods(
        the_paper(), make_pod("big-1", node=None, workload="big", cpu=500)
    ),
    "such pods of ReplicaSet default/web-rs that stay on n3: 1, the plan was made for 2": with_pods(
        the_paper(), without=("web-1",)
    ),
}


@pytest.mark.parametrize("reason", DRIFTED)
def test_what_has_drifted_is_named(reason: str) -> None:
    assert said(the_papers_plan(), DRIFTED[reason]) == f"plan-drift: {reason.rstrip()}"


def test_a_pod_of_another_size_is_no_drift() -> None:
    other = with_pods(the_paper(), make_pod("big-1", node=None, workload="big", cpu=1))

    assert said(the_papers_plan(), other) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"phase": Phase.FAILED}, "default/bare, to be placed on n1, is gone"),
        ({"terminating": True}, "default/bare, to be placed on n1, is gone"),
        ({"node": "n1"}, "default/bare, to be placed on n1, is bound to n1"),
        ({"node": "n2"}, "default/bare, to be placed on n1, is bound to n2"),
        ({"nominated_node": "n2"}, "default/bare, to be placed on n1, is nominated to n2"),
        ({"nominated_node": "n1"}, None),
    ],
)
def test_a_bare_pod_must_still_wait(changes: Mapping[str, Any], reason: str | None) -> None:
    before = make_cluster([make_node("n1"), make_node("n2")], [BARE])
    plan = make_plan(before, place={"bare": "n1"})

    assert said(plan, before) is None
    assert said(plan, with_pods(before, without=("bare",))) == "plan-drift: default/bare, to be placed on n1, is gone"
    now = with_pods(before, replace(BARE, **changes))
    assert said(plan, now) == (None if reason is None else f"plan-drift: {reason}")


def test_pods_that_wait_for_a_preemption_are_counted_where_they_are_nominated() -> None:
    pods = [
        make_pod("web-0", node="n1"),
        make_pod("web-1", node=None, nominated_node="n2"),
        make_pod("web-2", node=None),
    ]
    before = make_cluster([make_node("n1"), make_node("n2")], pods)

    assert said(make_plan(before, place={"web-2": "n2"}), before) is None


def test_an_evicted_pod_is_among_those_that_get_no_node() -> None:
    pods = [
        make_pod("low-0", workload="low", cpu=500),
        make_pod("low-1", workload="low", node="n2", cpu=500),
        make_pod("high-0", workload="high", node=None, priority=10, cpu=500),
    ]
    nodes = [make_node("n1", cpu=500), make_node("n2", cpu=500)]
    before = make_cluster(nodes, pods, [make_workload("low", wanted=2), make_workload("high", wanted=1)])
    plan = make_plan(before, place={"high-0": "n1"}, evict=["low-0"])

    assert plan.headcounts[0].unplaced == 1
    assert said(plan, before) is None


@pytest.mark.parametrize("kind", ["nodes", "pods"])
def test_what_could_not_be_read_is_unknown(kind: str) -> None:
    blind = replace(the_paper(), unreadable={kind: "403"})

    assert said(the_papers_plan(), blind) == f"unreadable: {kind} could not be read, so they are unknown: 403"
