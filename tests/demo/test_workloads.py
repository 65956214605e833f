"""The eight workloads as objects."""

from typing import Any

from demo import workloads
from demo.workloads import ENCODER, FRONTEND, NAMESPACE, PODS, SEARCH, WORKLOADS
from policies.rails import vetoes


def rules(of: workloads.Workload) -> dict[str, Any]:
    """Return the affinity of a workload's pods."""
    affinity: dict[str, Any] = of.deployment()["spec"]["template"]["spec"]["affinity"]
    return affinity


def kept_from(of: workloads.Workload) -> list[str]:
    """Return the workloads whose nodes are forbidden to a workload's pods."""
    terms = rules(of)["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return [term["labelSelector"]["matchLabels"]["app"] for term in terms]


def test_there_are_eight_workloads_and_about_sixty_pods() -> None:
    assert len({workload.name for workload in WORKLOADS}) == 8
    assert PODS == 60


def test_every_workload_has_a_budget_and_a_deployment_for_our_scheduler() -> None:
    objects = list(workloads.everything())

    assert [body["kind"] for body in objects] == ["PodDisruptionBudget", "Deployment"] * 8
    deployments = [body["spec"]["template"]["spec"] for body in objects if body["kind"] == "Deployment"]
    assert {spec["schedulerName"] for spec in deployments} == {"bayplan-scheduler"}


def test_exactly_one_workload_is_vetoed_by_an_annotation_that_bayplan_knows() -> None:
    vetoed = [one.name for one in WORKLOADS if one.deployment()["spec"]["template"]["metadata"]["annotations"]]

    assert vetoed == ["encoder"]
    assert workloads.VETO in vetoes.KEYS


def test_encoder_keeps_off_the_frontend_and_likes_to_be_with_search() -> None:
    assert kept_from(ENCODER) == ["encoder", "frontend"]
    assert kept_from(SEARCH) == ["search"]
    (wish,) = rules(ENCODER)["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert wish["podAffinityTerm"]["labelSelector"]["matchLabels"] == {"app": "search"}
    assert "podAffinity" not in rules(FRONTEND)


def test_namespace_is_in_the_policys_scope() -> None:
    assert NAMESPACE not in {"kube-system", "bayplan-system", "monitoring"}
