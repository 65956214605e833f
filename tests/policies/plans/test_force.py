"""A plan in force: kept up with pods and nodes as they change, however they come."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from policies.plans.force import PlanInForce
from policies.plans.quotas import kind, kind_of
from policies.values.pods import Pod
from tests.builders import make_node, make_pod
from tests.policies.plans.making import SMALL, controller, in_force, make_entry, make_plan, make_quota, pending

WEB = kind(controller(), SMALL)
N1, N2 = make_node("n1"), make_node("n2")


def test_a_pod_is_awaited_where_its_quota_is_not_met() -> None:
    force = in_force(make_plan(make_quota(wanted=2), make_quota(node="n2")), [N1, N2], [make_pod("a"), pending("b")])

    assert force.places(pending("c")) == {"n1": 1, "n2": 1}
    assert force.places(pending("d", "api")) == {}
    assert force.places(pending("e", cpu=200)) == {}
    assert force.places(pending("f", owner=None)) == {}
    assert {*force.promised} == {"n1", "n2"}


def test_a_bare_pod_is_awaited_by_its_uid() -> None:
    tool = pending("tool", owner=None)
    force = in_force(make_plan(entries=[make_entry(tool, "n1")]), [N1])

    assert force.whom(tool) == tool.uid
    assert force.places(tool) == {"n1": 1}

    force.change(tool, replace(tool, node="n1"))

    assert force.places(tool) == {}
    assert force.promised == {}


def test_a_bound_pod_fills_its_place_and_a_deleted_one_opens_it_again() -> None:
    force = in_force(make_plan(make_quota()), [N1])
    pod = pending("a")

    force.change(None, pod)
    assert force.places(pod) == {"n1": 1}
    force.change(pod, replace(pod, node="n1"))
    assert force.places(pod) == {}
    force.change(replace(pod, node="n1"), None)
    assert force.places(pod) == {"n1": 1}


def test_a_victim_of_the_plan_fills_no_place() -> None:
    victim = make_pod("v")
    force = in_force(make_plan(make_quota(), entries=[make_entry(victim, "n2")]), [N1, N2], [victim])

    assert force.places(pending("a")) == {"n1": 1}
    assert force.promised["n1"].free == N1.allocatable


def test_what_the_kubelet_says_of_a_pod_changes_nothing() -> None:
    pod = make_pod("a", workload="api", cpu=300)
    force = in_force(make_plan(make_quota()), [N1], [pod])
    before = force.promised["n1"]

    force.change(pod, replace(pod, ready=False))

    assert force.promised["n1"] is before


def test_nodes_come_change_and_go() -> None:
    force = in_force(make_plan(make_quota()), [])
    assert force.promised["n1"].room(0).left["cpu"] == -100

    force.node("n1", N1)
    assert force.promised["n1"].room(0).left["cpu"] == 3900
    force.node("n1", None)
    assert force.promised["n1"].room(0).left["cpu"] == -100
    force.node("n9", N1)
    assert {*force.promised} == {"n1"}


def test_a_nominated_pod_takes_its_room_unless_the_plan_has_promised_it_some() -> None:
    force = in_force(make_plan(make_quota()), [N1])
    other, planned = (
        pending("o", "api", cpu=500, nominated_node="n1"),
        pending("p", nominated_node="n1"),
    )

    force.change(None, other)
    force.change(None, planned)
    assert force.promised["n1"].room(0).left["cpu"] == 4000 - 100 - 500

    force.change(other, replace(other, nominated_node=None))
    assert force.promised["n1"].room(0).left["cpu"] == 4000 - 100


def test_a_pod_of_each_kind_is_remembered_as_a_sample() -> None:
    force = in_force(make_plan(make_quota()), [N1], [make_pod("z", workload="api", node="n9")])
    assert force.samples == {}

    first, second = pending("a"), pending("b")
    force.change(None, first)
    force.change(None, second)

    assert force.samples == {WEB: first}


def _stands() -> st.SearchStrategy[Pod | None]:
    return st.none() | st.builds(
        lambda name, node, nominated, going: make_pod(
            name, node=node, nominated_node=None if node else nominated, terminating=going
        ),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["n1", "n2", "n9", None]),
        st.sampled_from(["n1", "n2", None]),
        st.booleans(),
    )


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), _stands()), max_size=12), st.integers(0, 3))
def test_however_pods_came_about_the_plan_is_as_if_it_began_now(
    steps: list[tuple[str, Pod | None]], wanted: int
) -> None:
    plan = make_plan(make_quota(wanted=wanted), make_quota(node="n2"), entries=[make_entry(make_pod("c"), "n2")])
    force = in_force(plan, [N1, N2])
    pods: dict[str, Pod] = {}
    for name, stand in steps:
        after = None if stand is None else replace(stand, name=name, uid=f"uid-{name}")
        force.change(pods.pop(f"uid-{name}", None), after)
        if after is not None:
            pods[after.uid] = after

    anew = PlanInForce(plan, {"n1": N1, "n2": N2}, pods.values())

    assert {name: {**one.room(0).left} for name, one in force.promised.items()} == {
        name: {**one.room(0).left} for name, one in anew.promised.items()
    }
    assert force.places(pending("x")) == anew.places(pending("x"))
    assert kind_of(pending("x")) == WEB


def test_who_is_nominated_beyond_what_is_promised_to_his_kind_takes_room_of_his_own() -> None:
    force = in_force(make_plan(make_quota(wanted=1), make_quota("api", wanted=1)), [N1])
    force.change(None, pending("a", nominated_node="n1"))
    assert force.promised["n1"].room(0).left["cpu"] == 4000 - 200

    force.change(None, pending("b", nominated_node="n1"))

    assert force.promised["n1"].room(0).left["cpu"] == 4000 - 300


def test_a_pod_that_finds_a_controller_counts_from_then_on() -> None:
    orphan = make_pod("a", owner=None)
    force = in_force(make_plan(make_quota()), [N1], [orphan])
    assert force.places(pending("x")) == {"n1": 1}

    force.change(orphan, make_pod("a"))

    assert force.places(pending("x")) == {}


def test_what_lets_somebody_in_is_told() -> None:
    other, extra = make_pod("o", workload="api", cpu=500), make_pod("e", workload="api", cpu=100)
    force = in_force(make_plan(make_quota(wanted=2)), [N1], [other])

    assert not force.change(None, extra)
    assert force.change(extra, None)
    assert not force.change(None, make_pod("a"))
    assert force.change(make_pod("a"), None)  # a place of its own kind is open again
    assert not force.change(None, make_pod("x", node="n9"))
    assert force.node("n1", make_node("n1", cpu=8000))
    assert not force.node("n1", N1)
    assert not force.node("n9", N1)
    force.change(None, make_pod("a"))
    assert force.change(None, make_pod("b"))  # nothing is promised any more
