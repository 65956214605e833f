"""Objectives on pods and workloads."""

import math

import pytest

from policies.buoyancy.standing import NodeSlacks
from policies.rules.objectives import node_slacks, slack_by_pod, soft_limit
from tests.builders import make_pod
from tests.policies.rules.worlds import Given, make_policy, make_slo, steady

PODS = (make_pod("web-0"), make_pod("web-1"), make_pod("web-2", node="n2"))
SLOS = (make_slo("p99"), make_slo("errors"), make_slo("whole", per="workload"))
SLACK = {
    "p99": {"default/web-0": steady(0.2), "default/web-1": steady(0.4), "default/web-2": steady(0.3)},
    "errors": {"default/web-0": steady(-0.1)},
    "whole": {"default/web": steady(-0.9)},
}


def given(*, verified: bool = True) -> Given:
    return Given(policy=make_policy("cpu", slos=SLOS), slack=SLACK, pods=PODS, scores={"cpu": {}}, verified=verified)


def test_a_pods_slack_is_the_least_over_its_objectives() -> None:
    slack = slack_by_pod(given().world().objectives)

    assert slack == pytest.approx({"uid-web-0": -0.1, "uid-web-1": 0.4, "uid-web-2": 0.3})


def test_a_nodes_slack_is_the_least_of_its_pods() -> None:
    slacks = node_slacks(given().world().objectives)

    assert slacks.any == slacks.verified == pytest.approx({"n1": -0.1, "n2": 0.3})


def test_unverified_slack_is_kept_apart() -> None:
    slacks = node_slacks(given(verified=False).world().objectives)

    assert slacks == NodeSlacks(any=slacks.any, verified={})
    assert slacks.any


def test_an_objective_without_a_number_is_neither_kept_nor_breached() -> None:
    assert math.isnan(soft_limit(make_slo().model_copy(update={"at_most": None}), consecutive=3).objective)
