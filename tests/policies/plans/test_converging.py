"""Progress of a plan: counted from bound pods, complete by absolute numbers, in its time."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.plans.converging import Progress, deadline, progress
from policies.values.clusters import Cluster
from policies.values.plans import PlanProgress
from policies.values.pods import Owner, Phase, Pod
from tests.builders import NOW, make_cluster, make_node, make_pod, make_workload
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_pods
from tests.policies.plans.under_way import (
    ALL_BOUND,
    BEFORE,
    BIG,
    BIG_BOUND,
    ENDING,
    GONE,
    VICTIM,
    bare,
    pinned,
    scaled,
    seen,
)


@pytest.mark.parametrize(
    ("now", "counts", "waiting"),
    [
        (
            BEFORE,
            PlanProgress(),
            (
                "default/web-2 still runs on n2",
                "pods of ReplicaSet default/web-rs on n1: 0 of 1",
                "pods of ReplicaSet default/big-rs on n2: 0 of 1",
            ),
        ),
        (
            ENDING,
            PlanProgress(),
            (
                "pods of ReplicaSet default/web-rs on n1: 0 of 1",
                "pods of ReplicaSet default/big-rs on n2: 0 of 1",
            ),
        ),
        (
            GONE,  # nobody of web waits yet: its replacement is to be created
            PlanProgress(),
            (
                "pods of ReplicaSet default/web-rs on n1: 0 of 1",
                "pods of ReplicaSet default/big-rs on n2: 0 of 1",
            ),
        ),
        (
            BIG_BOUND,
            PlanProgress(placed=1),
            ("pods of ReplicaSet default/web-rs on n1: 0 of 1",),
        ),
        (ALL_BOUND, PlanProgress(placed=1, moved=1), ()),
    ],
    ids=["before", "ending", "gone", "one bound", "all bound"],
)
def test_the_papers_plan_from_its_beginning_to_its_end(
    now: Cluster, counts: PlanProgress, waiting: tuple[str, ...]
) -> None:
    found = seen(now)

    assert (found.counts, found.waiting, found.done, found.abort) == (counts, waiting, not waiting, None)


def test_victims_are_told_apart_by_whether_they_end_already() -> None:
    assert [str(entry) for entry in seen(BEFORE).standing] == ["default/web-2"]
    assert [str(entry) for entry in seen(ENDING).ending] == ["default/web-2"]
    assert seen(GONE).standing == seen(GONE).ending == ()
    assert seen(with_pods(BEFORE, replace(VICTIM, phase=Phase.FAILED))).standing == ()


def test_a_victim_that_has_not_ended_holds_up_nothing_once_everybody_is_bound() -> None:
    slow = with_pods(ALL_BOUND, replace(VICTIM, terminating=True))

    assert seen(slow).done


def test_an_evicted_pod_counts_once_it_goes() -> None:
    pods = [make_pod("low-0", workload="low"), make_pod("high-0", workload="high", node=None, priority=9)]
    before = make_cluster([make_node("n1")], pods)
    plan = make_plan(before, evict=["low-0"], place={"high-0": "n1"})
    ended = with_pods(before, make_pod("low-x", node=None, workload="low"), without=("low-0",))

    assert progress(plan, before).counts == PlanProgress()
    assert progress(plan, ended).counts == PlanProgress(evicted=1)
    bound = with_pods(ended, make_pod("high-0", workload="high"))
    assert progress(plan, bound).counts == PlanProgress(placed=1, evicted=1)
    assert progress(plan, bound).done


def test_a_plan_that_only_takes_a_pod_away_is_done_once_it_goes() -> None:
    before = make_cluster([make_node("n1")], [make_pod("low-0", workload="low")])
    plan = make_plan(before, evict=["low-0"])

    assert progress(plan, before).waiting == ("default/low-0 still runs on n1",)
    assert progress(plan, with_pods(before, without=("low-0",))).done


def test_what_is_missing_of_a_kind_is_taken_off_its_moves() -> None:
    pods = [make_pod("web-0"), make_pod("web-1", node=None)]
    before = make_cluster([make_node("n1"), make_node("n2")], pods, [make_workload("web", wanted=2)])
    plan = make_plan(before, move={"web-0": "n2"}, place={"web-1": "n2"})

    one = with_pods(before, make_pod("web-1", node="n2"), without=("web-0",))
    assert progress(plan, one).counts == PlanProgress(placed=1)
    both = with_pods(one, make_pod("web-x", node="n2"))
    assert progress(plan, both).counts == PlanProgress(placed=1, moved=1)


def test_a_controller_scaled_below_its_quota_is_complete() -> None:
    now = scaled(with_pods(GONE, replace(BIG, node="n2")), "web", 2)

    assert seen(now).done


def test_a_controller_that_is_gone_is_complete() -> None:
    deleted = with_pods(GONE, replace(BIG, node="n2"), without=("web-0", "web-1"))

    assert seen(scaled(deleted, "web", None)).done
    assert not seen(replace(scaled(deleted, "web", None), unreadable={"deployments": "timeout"})).done


def test_scaling_down_by_fewer_than_are_missing_leaves_the_rest_wanted() -> None:
    pods = [make_pod(f"web-{at}", node=None) for at in range(3)]
    before = make_cluster([make_node("n1")], pods, [make_workload("web", wanted=3)])
    plan = make_plan(before, place={pod.name: "n1" for pod in pods})
    one = scaled(with_pods(before, make_pod("web-0"), without=("web-2",)), "web", 2)

    assert not progress(plan, one).done
    assert progress(plan, with_pods(one, make_pod("web-1"))).done


def test_pods_that_the_plan_leaves_out_may_wait() -> None:
    pods = [make_pod(f"web-{at}", node=None) for at in range(3)]
    before = make_cluster([make_node("n1")], pods, [make_workload("web", wanted=3)])
    plan = make_plan(before, place={"web-0": "n1"})

    assert progress(plan, with_pods(before, make_pod("web-2"))).done
    assert progress(plan, with_pods(before, make_pod("web-2"), make_pod("web-1", node="n9"))).done


def test_a_pod_beyond_those_left_out_must_not_wait() -> None:
    extra = with_pods(ALL_BOUND, make_pod("web-extra", node=None, cpu=400))

    assert seen(extra).waiting == ("pods of ReplicaSet default/web-rs that wait for a node: 1, expected 0",)
    assert seen(extra).abort is None
    assert seen(scaled(extra, "web", 4)).done  # somebody scaled it up: the new pod is not the plan's


def job(name: str, node: str | None, **changes: Any) -> Pod:
    """Return a pod of a Job."""
    return make_pod(name, node=node, owner=Owner("Job", "sums"), workload="sums", **changes)


def test_pods_of_a_job_may_be_done_before_the_plan_is() -> None:
    before = replace(make_cluster([make_node("n1")], [job("sums-0", None), job("sums-1", None)]), workloads={})
    plan = make_plan(before, place={"sums-0": "n1", "sums-1": "n1"})
    one = with_pods(before, job("sums-0", "n1", phase=Phase.SUCCEEDED))
    both = with_pods(one, job("sums-1", "n1"))

    # whoever is done comes no more, so that one is awaited of what were two
    assert progress(plan, replace(one, workloads={})).waiting == ("pods of Job default/sums on n1: 0 of 1",)
    assert progress(plan, replace(both, workloads={})).done


def test_a_bare_pod_is_placed_once_it_stands_on_its_node() -> None:
    plan, before = pinned()

    assert progress(plan, before).waiting == ("default/bare is not bound to n1",)
    for pod in (bare(), bare(phase=Phase.SUCCEEDED), bare(terminating=True)):
        found = progress(plan, with_pods(before, pod))
        assert (found.done, found.counts, found.abort) == (True, PlanProgress(placed=1), None)


def test_what_is_missing_is_said_briefly() -> None:
    assert Progress(counts=PlanProgress(), waiting=("a", "b", "c")).missing == "a; b; c"
    assert Progress(counts=PlanProgress(), waiting=("a", "b", "c", "d", "e")).missing == "a; b; c; and 2 more"


@given(
    at=st.floats(0, 100),
    since=st.floats(0, 200),
    grace=st.floats(0, 60),
    within=st.floats(1, 60),
    accepted=st.booleans(),
)
def test_time_runs_out_after_the_last_grace_period(
    at: float, since: float, grace: float, within: float, *, accepted: bool
) -> None:
    slow = with_pods(the_paper(), replace(VICTIM, grace_seconds=grace))
    evicted = {"uid-web-2": NOW + at, "uid-of-another-plan": NOW + 1e6} if accepted else {}

    end = deadline(the_papers_plan(slow), evicted, since=NOW + since, realise_within=within)

    assert end == max(NOW + since, NOW + at + grace if accepted else 0.0) + within


@given(arrived=st.integers(0, 4), waiting=st.integers(0, 4), wanted=st.integers(0, 6))
def test_a_plan_is_done_exactly_when_everybody_who_can_stands_there(arrived: int, waiting: int, wanted: int) -> None:
    pods = [make_pod(f"web-{at}", node=None) for at in range(4)]
    before = make_cluster([make_node("n1")], pods, [make_workload("web", wanted=4)])
    plan = make_plan(before, place={pod.name: "n1" for pod in pods[:3]})
    there = [make_pod(f"there-{at}", node="n1") for at in range(arrived)]
    still = [make_pod(f"still-{at}", node=None) for at in range(waiting)]
    now = scaled(with_pods(before, *there, *still, without=[pod.name for pod in pods]), "web", wanted)

    found = progress(plan, now)

    missing, reduced = max(0, 3 - arrived), max(0, 4 - wanted - 1)
    assert found.done == (missing <= reduced and waiting <= 1 + max(0, wanted - 4))
    assert found.counts.placed == min(3, arrived)
