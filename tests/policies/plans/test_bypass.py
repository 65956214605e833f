"""Bypass: what is missing of a reservation, and who took it; whoever stands beside it is nobody's concern."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.plans.bypass import unexplained
from policies.values.clusters import Cluster
from policies.values.pods import Constraints, HostPort, Owner, Pod
from tests.builders import NOW, make_cluster, make_node, make_pod
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_node, with_pods
from tests.policies.plans.under_way import GONE


def said(now: Cluster, before: Cluster | None = None) -> str | None:
    """Return what is said of the paper's plan on a cluster."""
    return unexplained(the_papers_plan(), before or the_paper(), now)


def late(**changes: Any) -> Pod:
    """Return a pod that came to n2 meanwhile."""
    defaults: dict[str, Any] = {"name": "late", "workload": "late", "node": "n2", "cpu": 100}
    return make_pod(**(defaults | changes))


def test_the_plans_own_pods_are_explained() -> None:
    big = replace(the_paper().pods["uid-big-0"], node="n2")

    assert said(the_paper()) is None
    assert said(GONE) is None
    assert said(with_pods(GONE, big)) is None
    assert said(with_pods(GONE, big, make_pod("web-x", node="n1", cpu=400))) is None


def test_a_pod_that_stands_beside_what_is_reserved_is_explained() -> None:
    roomy = with_node(GONE, make_node("n2", cpu=1100))

    assert said(with_pods(roomy, late()), roomy) is None


@pytest.mark.parametrize(
    ("changes", "who"),
    [
        ({}, "priority 0, scheduler bayplan-scheduler"),
        ({"scheduler_name": "other", "priority": 7}, "priority 7, scheduler other"),
        ({"static": True}, "a static pod"),
        ({"owner": Owner("DaemonSet", "agents")}, "a DaemonSet pod"),
    ],
)
def test_whoever_took_what_is_reserved_is_named(changes: Mapping[str, Any], who: str) -> None:
    assert said(with_pods(GONE, late(**changes))) == f"default/late ({who}) took cpu that the plan reserves on n2"


def test_a_pod_that_kube_scheduler_makes_room_for_takes_it() -> None:
    nominated = late(node=None, nominated_node="n2", priority=9)

    assert said(with_pods(GONE, nominated)) == (
        "default/late (priority 9, scheduler bayplan-scheduler) is nominated there and takes cpu that the plan "
        "reserves on n2"
    )


def test_of_several_the_one_that_took_most_is_named() -> None:
    now = with_pods(GONE, late(), late(name="later", cpu=300))

    assert str(said(now)).startswith("default/later (")


def test_a_pod_that_moved_there_is_a_newcomer() -> None:
    before = with_pods(GONE, late(node="n3", cpu=1))

    assert str(said(with_pods(before, late()), before)).startswith("default/late (")


def test_a_pod_that_grew_is_named() -> None:
    resized = make_pod("api-1", node="n2", workload="api", cpu=501)

    assert (
        said(with_pods(GONE, resized)) == "default/api-1 was resized on n2 and takes cpu that the plan reserves there"
    )


def test_a_node_that_shrank_is_named() -> None:
    assert said(with_node(GONE, make_node("n2", cpu=999))) == (
        "node n2 shrank: 999 of cpu can be allocated, 1000 before"
    )


def test_a_node_that_is_gone_has_nothing() -> None:
    rest = replace(GONE, nodes={name: node for name, node in GONE.nodes.items() if name != "n2"})

    assert said(rest) == "node n2 is gone"


def test_what_was_missing_before_has_no_culprit() -> None:
    short = with_node(GONE, make_node("n2", cpu=999))

    assert said(short, short) == "node n2 has too little cpu left for what the plan wants there"
    unknown = replace(GONE, nodes={name: node for name, node in GONE.nodes.items() if name != "n2"})
    assert said(short, unknown) == "node n2 has too little cpu left for what the plan wants there"


def test_a_node_over_its_capacity_where_nobody_is_awaited_is_no_concern() -> None:
    assert said(with_node(GONE, make_node("n3", cpu=1))) is None


def test_one_pod_of_a_kind_more_than_wanted_is_a_newcomer() -> None:
    nodes = [make_node("n1", cpu=300), make_node("n2")]
    before = make_cluster(nodes, [make_pod("web-0", node=None), make_pod("api-0", node=None, workload="api", cpu=200)])
    plan = make_plan(before, place={"web-0": "n1", "api-0": "n1"})
    first, second = (make_pod(f"web-{at}", node="n1", bound_at=NOW + at) for at in range(2))

    assert unexplained(plan, before, with_pods(before, first)) is None
    assert unexplained(plan, before, with_pods(before, first, second)) == (
        "default/web-1 (priority 0, scheduler bayplan-scheduler) took cpu that the plan reserves on n1"
    )


def test_a_bare_pod_on_its_node_is_explained() -> None:
    bare = make_pod("bare", node=None, owner=None)
    other = make_pod("web-0", node=None)
    before = make_cluster([make_node("n1", cpu=200)], [bare, other])
    plan = make_plan(before, place={"bare": "n1", "web-0": "n1"})
    late_one = make_pod("late", node="n1", owner=None)

    assert unexplained(plan, before, with_pods(before, replace(bare, node="n1"))) is None
    taken = unexplained(plan, before, with_pods(before, replace(bare, node="n1"), late_one))
    assert str(taken).startswith("default/late (")


def test_a_planned_pod_that_ends_again_takes_nothing_from_the_next_one() -> None:
    ending = with_pods(GONE, make_pod("web-x", node="n1", cpu=400, terminating=True))
    tight = with_node(ending, make_node("n1", cpu=900))

    assert said(tight, with_node(the_paper(), make_node("n1", cpu=900))) is None
    taken = with_pods(tight, late(node="n1", cpu=1))
    assert str(said(taken)).startswith("default/late (")


def test_a_host_port_can_be_taken_as_well() -> None:
    port = Constraints(host_ports=(HostPort(80),))
    before = make_cluster([make_node("n1")], [make_pod("web-0", node=None, constraints=port)])
    plan = make_plan(before, place={"web-0": "n1"})
    thief = make_pod("thief", node="n1", workload="thief", constraints=port)

    assert unexplained(plan, before, before) is None
    assert unexplained(plan, before, with_pods(before, thief)) == (
        "default/thief (priority 0, scheduler bayplan-scheduler) took a host port that the plan reserves on n1"
    )


@given(cpu=st.integers(0, 1200), taken=st.integers(0, 1200))
def test_a_plan_loses_nothing_exactly_while_its_pods_still_fit(cpu: int, taken: int) -> None:
    nodes = [make_node("n1", cpu=1000)]
    before = make_cluster(nodes, [make_pod("web-0", node=None, cpu=cpu)])
    plan = make_plan(before, place={"web-0": "n1"})
    now = with_pods(before, make_pod("late", workload="late", node="n1", cpu=taken))

    fits = cpu == 0 or cpu + taken <= 1000
    assert (unexplained(plan, before, now) is None) == fits
