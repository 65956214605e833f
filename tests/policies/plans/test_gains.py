"""A step is taken only while somebody waits for what it makes room for."""

from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.plans.converging import progress
from policies.plans.end_state import why_not
from policies.plans.gains import NOBODY, in_vain, left_by_itself, still_wanted
from policies.plans.quotas import remaining
from policies.values.clusters import Cluster
from policies.values.plans import Plan, PlanEntry
from policies.values.pods import Owner
from tests.builders import make_cluster, make_node, make_pod, make_workload
from tests.policies.plans.plan_builders import make_plan, with_pods
from tests.policies.plans.test_validating_steps import step
from tests.policies.plans.under_way import scaled

PAIRS: Final = ("a", "b", "c")


def paired(*, bare: bool = False) -> tuple[Plan, Cluster]:
    """Return three examples in which `late-x` gets the place of `moved-x`, which goes from full-x to free-x."""
    nodes = [make_node(f"{how}-{pair}", cpu=1000) for pair in PAIRS for how in ("free", "full")]
    pods = []
    for pair in PAIRS:
        late = {"owner": None} if bare else {"workload": f"late-{pair}"}
        pods += [
            make_pod(f"first-{pair}", workload=f"first-{pair}", node=f"free-{pair}", cpu=400),
            make_pod(f"moved-{pair}", workload=f"moved-{pair}", node=f"full-{pair}", cpu=400),
            make_pod(f"twin-{pair}", workload=f"moved-{pair}", node="spare", cpu=10),
            make_pod(f"late-{pair}", node=None, cpu=700, **late),
        ]
    cluster = make_cluster([*nodes, make_node("spare")], pods)
    moves = {f"moved-{pair}": f"free-{pair}" for pair in PAIRS}
    return make_plan(cluster, move=moves, place={f"late-{pair}": f"full-{pair}" for pair in PAIRS}), cluster


def without(cluster: Cluster, *pairs: str) -> Cluster:
    """Return the cluster in which nobody waits of these pairs."""
    for pair in pairs:
        cluster = scaled(with_pods(cluster, without=(f"late-{pair}",)), f"late-{pair}", 0)
    return cluster


def test_nobody_is_evicted_for_one_who_is_gone_while_another_waits() -> None:
    plan, before = paired()
    now = without(before, "a")

    assert step(plan, now, 0) == ("no-gain: nobody waits any more for what default/moved-a makes room for on full-a")
    assert step(plan, now, 1) is None


@pytest.mark.parametrize("gone", ["a", "b"])
def test_the_same_of_bare_pods(gone: str) -> None:
    plan, before = paired(bare=True)
    now = with_pods(before, without=(f"late-{gone}",))

    assert [pair for pair, entry in zip(PAIRS, plan.disruptions, strict=True) if in_vain(plan, entry, now)] == [gone]


@given(st.sets(st.sampled_from(PAIRS)))
def test_exactly_the_steps_for_those_who_are_gone_are_in_vain(gone: set[str]) -> None:
    plan, before = paired()
    said = [in_vain(plan, entry, without(before, *sorted(gone))) for entry in plan.disruptions]

    assert {pair for pair, why in zip(PAIRS, said, strict=True) if why} == gone
    assert (NOBODY in said) == (len(gone) == len(PAIRS))


def test_a_step_of_a_relief_has_another_gain() -> None:
    plan, before = paired()
    relief = replace(plan, trigger="relief")

    assert in_vain(relief, plan.disruptions[0], without(before, "a")) is None
    assert in_vain(relief, plan.disruptions[0], without(before, *PAIRS)) == NOBODY


def test_who_makes_room_for_one_who_makes_room_is_for_somebody_too() -> None:
    nodes = [make_node(f"n{at}", cpu=1000) for at in range(3)]
    chain = [make_pod(f"w{at}", workload=f"w{at}", node=f"n{at}", cpu=600 - 100 * at) for at in range(2)]
    late = [make_pod(f"late-{name}", workload=name, node=None, cpu=10) for name in ("x", "y")]
    before = make_cluster(nodes, [*chain, *late])
    plan = make_plan(before, move={"w1": "n2", "w0": "n1"}, place={"late-x": "n0", "late-y": "n2"})
    only_x = scaled(with_pods(before, without=("late-y",)), "y", 0)
    only_y = scaled(with_pods(before, without=("late-x",)), "x", 0)

    assert [in_vain(plan, entry, only_x) for entry in plan.disruptions] == [None, None]
    assert all(in_vain(plan, entry, only_y) for entry in plan.disruptions)


# ---------------------------------------------------------------------- a controller that is partly scaled down


def crowd(*names: str) -> tuple[Plan, Cluster]:
    """Return a plan in which each replica of `late` gets the place of a pod that goes to `spare`."""
    nodes = [make_node(f"full-{name}", cpu=1000) for name in names]
    moved = [make_pod(f"moved-{name}", workload=f"moved-{name}", node=f"full-{name}", cpu=400) for name in names]
    late = [make_pod(f"late-{name}", workload="late", node=None, cpu=700) for name in names]
    sizes = [make_workload(f"moved-{name}", wanted=1) for name in names]
    workloads = [*sizes, make_workload("late", wanted=len(names))]
    cluster = make_cluster([*nodes, make_node("spare", cpu=4000)], [*moved, *late], workloads)
    moves, places = {f"moved-{name}": "spare" for name in names}, {f"late-{name}": f"full-{name}" for name in names}
    return make_plan(cluster, move=moves, place=places), cluster


def only(cluster: Cluster, *left: str) -> Cluster:
    """Return the cluster in which `late` was scaled down to these pods."""
    pods = [pod.name for pod in cluster.pods.values() if pod.name.startswith("late-")]
    fewer = with_pods(cluster, without=[name for name in pods if name.removeprefix("late-") not in left])
    return scaled(fewer, "late", len(left))


def evicted(cluster: Cluster, entry: PlanEntry) -> Cluster:
    """Return the cluster in which a step was taken and the replacement is where it is to go."""
    pod = cluster.pods[entry.uid]
    comes = replace(pod, name=f"{pod.name}-new", uid=f"{pod.uid}-new", node=entry.target)
    fewer = replace(cluster, pods={uid: each for uid, each in cluster.pods.items() if uid != pod.uid})
    return replace(fewer, pods={**fewer.pods, comes.uid: comes})


def taken(plan: Plan, cluster: Cluster) -> tuple[list[str], Cluster]:
    """Take each step that is for somebody, in the plan's order."""
    names = []
    for entry in plan.disruptions:
        if entry.uid in cluster.pods and not in_vain(plan, entry, cluster):
            names.append(entry.pod)
            cluster = evicted(cluster, entry)
    return names, cluster


def all_bound(plan: Plan, cluster: Cluster) -> Cluster:
    """Return the cluster in which whoever waits was bound to a node of the plan that has room."""
    for pod in [pod for pod in cluster.pods.values() if pod.node is None]:
        free = next(
            place.node
            for place, count in sorted(remaining(plan, cluster.pods.values()).items(), key=lambda each: each[0].node)
            if count and sum(one.requests["cpu"] for one in cluster.pods.values() if one.node == place.node) <= 300
        )
        cluster = with_pods(cluster, replace(pod, node=free))
    return cluster


def test_of_two_that_are_as_good_the_first_step_is_for_the_one_who_is_left() -> None:
    plan, before = crowd("a", "b")
    now = only(before, "b")

    assert in_vain(plan, plan.disruptions[0], now) is None
    assert step(plan, now, 1) == "no-gain: nobody waits any more for what default/moved-b makes room for on full-b"


def test_room_that_has_been_made_is_for_the_one_who_is_left() -> None:
    plan, before = crowd("a", "b", "c")
    now = only(evicted(before, plan.disruptions[1]), "a")

    assert in_vain(plan, plan.disruptions[0], now) == NOBODY
    assert in_vain(plan, plan.disruptions[2], now) == NOBODY
    assert not progress(plan, now).done
    assert progress(plan, all_bound(plan, now)).done


def test_who_needs_fewest_evictions_is_awaited() -> None:
    nodes = [make_node(name, cpu=1000) for name in ("one", "two", "spare")]
    pods = [make_pod(f"w{at}", workload=f"w{at}", node="two" if at else "one", cpu=400) for at in range(3)]
    late = [make_pod(f"late-{at}", workload="late", node=None, cpu=700) for at in range(2)]
    workloads = [make_workload("late", wanted=2)]
    before = make_cluster(nodes, [*pods, *late], workloads)
    plan = make_plan(before, evict=["w1", "w2", "w0"], place={"late-0": "one", "late-1": "two"})

    assert taken(plan, only(before, "0"))[0] == ["w0"]
    assert taken(plan, before)[0] == ["w1", "w2", "w0"]


def test_place_of_one_who_is_gone_may_be_that_of_a_sibling_who_stayed() -> None:
    plan, before = crowd("a", "b")
    stayed = make_pod("late-s", workload="late", node="other", cpu=700)
    before = scaled(with_pods(replace(before, nodes={**before.nodes, "other": make_node("other")}), stayed), "late", 3)
    plan = make_plan(
        before, move={entry.pod: "spare" for entry in plan.disruptions}, place={"late-a": "full-a", "late-b": "full-b"}
    )

    now = only(before, "a", "b")  # the one that stood was taken; its place costs nobody anything

    assert [bool(in_vain(plan, entry, now)) for entry in plan.disruptions] == [False, True]


def test_nobody_is_evicted_in_doubt_about_who_is_gone() -> None:
    nodes = [make_node(name, cpu=1000) for name in ("one", "two", "spare")]
    pods = [make_pod(f"w{name}", workload=f"w{name}", node=name, cpu=500) for name in ("one", "two")]
    late = [make_pod("late-0", workload="late", node=None, cpu=600), make_pod("late-1", node=None, cpu=700)]
    late[1] = replace(late[1], owner=late[0].owner)
    before = make_cluster(nodes, [*pods, *late], [make_workload("late", wanted=2)])
    plan = make_plan(before, evict=["wone", "wtwo"], place={"late-0": "one", "late-1": "two"})

    now = only(before, "0")

    assert taken(plan, now)[0] == []
    assert not progress(plan, now).done


def test_scaled_up_again_all_are_awaited_again() -> None:
    plan, before = crowd("a", "b")

    assert still_wanted(plan, only(before, "b")) is not plan
    assert still_wanted(plan, before) is plan
    assert "default/moved-b still runs on full-b" in progress(plan, evicted(before, plan.disruptions[0])).waiting


def test_one_who_was_scaled_away_himself_need_not_be_evicted() -> None:
    plan, before = crowd("a", "b")
    first = plan.disruptions[0]
    deleted = with_pods(before, without=("moved-a",))

    assert left_by_itself(plan, first, scaled(deleted, "moved-a", 0))
    assert not left_by_itself(plan, first, deleted)  # its replacement is about to come
    assert not left_by_itself(plan, first, scaled(before, "moved-a", 0))  # it still runs
    assert not left_by_itself(plan, replace(first, controller=None), deleted)
    assert step(plan, scaled(deleted, "moved-a", 0)) == "no-gain: default/moved-a on full-a was scaled away"


@given(st.sets(st.integers(0, 4)), st.lists(st.integers(0, 4), max_size=3, unique=True), st.randoms())
def test_as_many_are_evicted_as_are_left_and_the_plan_is_complete(
    left: set[int], begun: list[int], chance: Any
) -> None:
    names = [*"abcde"]
    chance.shuffle(names)
    plan, cluster = crowd(*names)
    for at in begun:
        cluster = evicted(cluster, plan.disruptions[at])

    steps, later = taken(plan, only(cluster, *(names[at] for at in left)))

    assert len(steps) == max(0, len(left) - len(begun))
    assert progress(plan, later).done == (not left)
    assert progress(plan, later).abort is None
    assert progress(plan, all_bound(plan, later)).done
    assert why_not(still_wanted(plan, later), later) is None


def test_bare_pod_that_waits_keeps_the_steps_of_a_relief() -> None:
    plan, before = paired()
    extra = make_pod("bare", node=None, owner=None, cpu=700)
    before = with_pods(before, extra)
    plan = make_plan(before, move={"moved-a": "free-a"}, place={"late-a": "full-a", "bare": "full-b"}, trigger="relief")

    assert in_vain(plan, plan.disruptions[0], without(before, "a")) is None


@pytest.mark.parametrize("waits", [True, False])
def test_nobody_is_evicted_for_a_job_whose_pod_is_gone(*, waits: bool) -> None:
    nodes = [make_node("full", cpu=1000), make_node("free", cpu=1000)]
    pods = [
        make_pod("moved", workload="moved", node="full", cpu=400),
        make_pod("run", node=None, cpu=700, owner=Owner("Job", "run", "uid-run")),
    ]
    workloads = [make_workload("moved", wanted=1), make_workload("run", kind="Job", wanted=None)]
    before = make_cluster(nodes, pods, workloads)
    plan = make_plan(before, move={"moved": "free"}, place={"run": "full"})
    now = before if waits else with_pods(before, without=("run",))

    assert in_vain(plan, plan.disruptions[0], now) == (None if waits else NOBODY)
    assert progress(plan, now).done is not waits
