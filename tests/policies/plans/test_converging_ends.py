"""Plans that are ended early by what cannot be mended."""

from dataclasses import replace

import pytest

from policies.plans.converging import progress
from policies.values.plans import PlanProgress
from policies.values.pods import Owner, Phase, Pod
from tests.builders import make_node, make_pod
from tests.policies.plans.plan_builders import the_papers_plan, with_node, with_pods
from tests.policies.plans.under_way import ALL_BOUND, BEFORE, BIG_BOUND, GONE, WAITING, bare, pinned, seen


def test_a_person_ends_it() -> None:
    assert seen(BEFORE, the_papers_plan(abort="release day")).abort == "aborted by a person: release day"
    assert seen(BEFORE, the_papers_plan(abort="")).abort == "aborted by a person: no reason given"


def test_a_rollout_ends_it_also_where_pods_are_missing_for_it() -> None:
    new = with_pods(GONE, make_pod("web-new", node=None, owner=Owner("ReplicaSet", "web-rs2")))
    now = replace(new, workload_of={**new.workload_of, "uid-web-new": VICTIM_WORKLOAD})

    assert seen(now).abort == (
        "Deployment default/web is being rolled out: default/web-new is a pod of ReplicaSet web-rs2"
    )
    assert progress(the_papers_plan(), now).abort is None  # who knows no state before sees no rollout


VICTIM_WORKLOAD = BEFORE.workload_of["uid-web-2"]


def test_a_node_that_nobody_can_reach_any_more_ends_it() -> None:
    without_n1 = replace(WAITING, nodes={name: node for name, node in WAITING.nodes.items() if name != "n1"})

    assert seen(without_n1).abort == "node n1 is gone"
    assert seen(with_node(WAITING, make_node("n2", cpu=1000, cordoned=True))).abort == "node n2 is cordoned"


def test_a_node_that_has_its_pods_may_go() -> None:
    later = with_node(BIG_BOUND, make_node("n2", cpu=1000, ready=False))

    assert seen(later).abort is None
    assert seen(with_node(WAITING, make_node("n3", cpu=800, cordoned=True))).abort is None


def test_a_node_of_a_bare_pod_counts_too() -> None:
    plan, before = pinned()

    assert progress(plan, with_node(before, make_node("n1", ready=False))).abort == "node n1 is not Ready"
    assert progress(plan, with_node(before, make_node("n2", ready=False))).abort is None


@pytest.mark.parametrize("pod", [None, bare(node=None, terminating=True), bare(node=None, phase=Phase.FAILED)])
def test_a_bare_pod_that_was_deleted_ends_it(pod: Pod | None) -> None:
    plan, before = pinned()
    now = with_pods(before, *([] if pod is None else [pod]), without=("bare",))

    assert progress(plan, now).abort == "default/bare, to be placed on n1, was deleted"


def test_a_bare_pod_on_another_node_ends_it() -> None:
    plan, before = pinned()

    abort = progress(plan, with_pods(before, bare(node="n2"))).abort

    assert abort == "default/bare was bound to n2, the plan places it on n1"


def test_pods_where_the_plan_does_not_want_them_end_it() -> None:
    stray = with_pods(GONE, make_pod("web-x", node="n3", cpu=400))

    assert seen(stray).abort == "pods of ReplicaSet default/web-rs on nodes where the plan does not want them: 1"


def test_capacity_that_somebody_took_ends_it() -> None:
    thief = with_pods(GONE, make_pod("thief", node="n2", workload="thief"))

    assert str(seen(thief).abort).startswith("default/thief (priority 0, scheduler bayplan-scheduler) took cpu")
    assert progress(the_papers_plan(), thief).abort is None


@pytest.mark.parametrize("kind", ["pods", "nodes"])
def test_what_could_not_be_read_is_no_end_and_no_progress(kind: str) -> None:
    blind = replace(ALL_BOUND, pods={}, nodes={}, unreadable={kind: "timeout"})

    found = seen(blind, the_papers_plan(progress=PlanProgress(moved=1)))

    assert (found.waiting, found.abort) == ((f"could not be read: {kind}: timeout",), None)
    assert [str(entry) for entry in found.standing] == ["default/web-2"]
    assert found.counts == PlanProgress(moved=1)
    assert seen(blind, the_papers_plan(abort="enough")).abort == "aborted by a person: enough"
    assert seen(replace(ALL_BOUND, unreadable={"persistentvolumes": "403"})).done
