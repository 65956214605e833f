"""Owners of planned pods: rollouts by revision or by a new controller, scaling, and what is not known."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from policies.plans.owners import growth, rollout, workloads_by_controller
from policies.values.clusters import Cluster
from policies.values.pods import Owner, Phase, Pod
from policies.values.workloads import Workload, WorkloadRef
from tests.builders import make_pod, make_workload
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_pods

WEB = WorkloadRef("Deployment", "default", "web")
REVISION = "deployment.kubernetes.io/revision"


def with_workload(cluster: Cluster, workload: Workload) -> Cluster:
    """Return a cluster with another state of a workload."""
    return replace(cluster, workloads={**cluster.workloads, workload.ref: workload})


def of_web(name: str, owner: str, cluster: Cluster, **changes: Any) -> Cluster:
    """Return a cluster with one more pod of `web`, made by some ReplicaSet."""
    pod = make_pod(name, node=None, owner=Owner("ReplicaSet", owner), **changes)
    wider = with_pods(cluster, pod)
    return replace(wider, workload_of={**wider.workload_of, pod.uid: WEB})


def test_scaling_is_no_rollout() -> None:
    now = with_workload(the_paper(), make_workload("web", wanted=9, rollout="being scaled: 3 of 9 pods exist"))

    assert rollout(the_papers_plan(), the_paper(), now) is None
    assert rollout(the_papers_plan(), the_paper(), of_web("web-x", "web-rs", the_paper())) is None


def test_a_new_revision_of_a_deployment_is_a_rollout() -> None:
    first, second = (make_workload("web", annotations={REVISION: at}) for at in "12")

    said = rollout(the_papers_plan(), with_workload(the_paper(), first), with_workload(the_paper(), second))

    assert said == "Deployment default/web is being rolled out: revision 2, 1 when the plan was made"


def test_a_deployment_that_was_made_anew_and_has_no_revision_yet_is_not_called_a_rollout() -> None:
    old, new = make_workload("web", annotations={REVISION: "1"}), make_workload("web")

    said = rollout(the_papers_plan(), with_workload(the_paper(), old), with_workload(the_paper(), new))

    assert said == "Deployment default/web has no revision, as one that was made anew: it was 1 when the plan was made"


def test_a_new_revision_of_a_stateful_set_is_a_rollout() -> None:
    old, new = (make_workload("web", update_revision=f"web-{at}") for at in "ab")

    said = rollout(the_papers_plan(), with_workload(the_paper(), old), with_workload(the_paper(), new))

    assert said == "Deployment default/web is being rolled out: revision web-b, web-a when the plan was made"


def test_a_pod_that_another_controller_made_is_a_rollout() -> None:
    said = rollout(the_papers_plan(), the_paper(), of_web("web-new", "web-rs2", the_paper()))

    assert said == "Deployment default/web is being rolled out: default/web-new is a pod of ReplicaSet web-rs2"


def test_old_pods_ended_ones_and_those_of_others_are_no_rollout() -> None:
    old = of_web("web-old", "web-rs0", the_paper())
    ended = of_web("web-ended", "web-rs2", the_paper(), phase=Phase.FAILED)
    others = with_pods(the_paper(), make_pod("new-0", workload="new"), make_pod("bare", owner=None))

    assert rollout(the_papers_plan(), old, old) is None
    assert rollout(the_papers_plan(), the_paper(), ended) is None
    assert rollout(the_papers_plan(), the_paper(), others) is None


def test_a_workload_that_went_is_no_rollout() -> None:
    gone = replace(the_paper(), workloads={})

    assert rollout(the_papers_plan(), the_paper(), gone) is None


def test_a_bare_pod_has_no_rollout() -> None:
    bare = make_pod("bare", node=None, owner=None)
    cluster = with_pods(the_paper(), bare)

    assert rollout(make_plan(cluster, place={"bare": "n1"}), cluster, cluster) is None


# ---------------------------------------------------------------------- scaling

SCALED: Mapping[str, tuple[int | None, int]] = {"up": (5, 2), "down": (1, -2), "not": (3, 0), "unknown": (None, 0)}


@pytest.mark.parametrize("how", SCALED)
def test_growth_is_what_was_scaled_since(how: str) -> None:
    wanted, grown = SCALED[how]
    now = with_workload(the_paper(), replace(make_workload("web"), wanted=wanted))

    headcount = the_papers_plan().headcounts[0]

    assert headcount.controller.name == "web-rs"
    assert growth(headcount, workloads_by_controller(the_papers_plan()), now) == grown


def test_a_workload_that_is_gone_wants_nobody() -> None:
    headcount = the_papers_plan().headcounts[0]
    gone = replace(the_paper(), workloads={})

    assert growth(headcount, workloads_by_controller(the_papers_plan()), gone) == -3
    assert (
        growth(headcount, workloads_by_controller(the_papers_plan()), replace(gone, unreadable={"deployments": "403"}))
        == 0
    )


def test_where_nobody_lists_the_kind_absence_says_nothing() -> None:
    rollouts = make_pod("argo-0", node="n1", owner=Owner("Rollout", "argo"), workload="argo")
    cluster = with_pods(the_paper(), rollouts)
    plan = make_plan(cluster, move={"argo-0": "n2"})

    assert plan.headcounts[0].replicas == 3
    assert growth(plan.headcounts[0], workloads_by_controller(plan), replace(cluster, workloads={})) == 0


def test_a_controller_without_a_number_is_not_scaled() -> None:
    headcount = replace(the_papers_plan().headcounts[0], replicas=None)

    assert growth(headcount, workloads_by_controller(the_papers_plan()), the_paper()) == 0


def test_a_controller_that_nobody_owns_is_its_own_workload() -> None:
    lone = make_workload("lone", kind="StatefulSet", wanted=2)
    pod: Pod = make_pod("lone-0", node="n1", owner=Owner("StatefulSet", "lone"), workload="lone")
    cluster = with_workload(with_pods(the_paper(), pod), lone)
    plan = make_plan(cluster, move={"lone-0": "n2"})
    unknown = replace(plan, entries=tuple(replace(entry, workload=None) for entry in plan.entries))
    now = with_workload(cluster, replace(lone, wanted=1))

    assert growth(plan.headcounts[0], workloads_by_controller(unknown), now) == 1 - (plan.headcounts[0].replicas or 0)
