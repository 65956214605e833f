"""Soft SLO limits of indicators that speak of a whole workload."""

from typing import Any

from policies.buoyancy.standing import NodeSlacks
from policies.rules import soft_slo
from policies.rules.objectives import node_slacks, slack_by_pod
from policies.values.workloads import WorkloadRef
from tests.builders import make_pod
from tests.policies.buoyancy.histories import STEP
from tests.policies.rules.breaches import WEB, breached
from tests.policies.rules.worlds import (
    Given,
    make_record,
    make_slo,
    rails,
    steady,
    victims,
)


def whole(**changes: Any) -> Given:
    """Return a workload that breaches as a whole, its replicas on nodes of different headroom."""
    defaults: dict[str, Any] = {
        "slos": [make_slo(per="workload")],
        "slack": {"p99": {"default/web": steady(-0.2)}},
        "scores": {"cpu": {"n0": steady(0.8), "n1": steady(0.95), "n2": steady(0.9)}},
    }
    return breached(**(defaults | changes))


def test_of_a_workloads_replicas_the_one_on_the_tightest_node_goes_first() -> None:
    assert victims(whole().proposals()) == [["web-1", "web-2", "web-0"]]


def test_replicas_on_roomy_nodes_are_refused_one_by_one() -> None:
    proposals = whole(scores={"cpu": {"n0": steady(0.1), "n1": steady(0.95), "n2": steady(0.1)}}).proposals()

    assert victims(proposals) == [["web-1"]]
    assert rails(proposals) == [soft_slo.NOT_PLACEMENT]


def test_a_replica_on_an_unknown_node_goes_last_where_nobody_asks_for_headroom() -> None:
    given = whole(policy={"only_if_node_below": "off"}, scores={"cpu": {"n1": steady(0.1), "n2": steady(0.2)}})

    assert victims(given.proposals()) == [["web-2", "web-1", "web-0"]]


def test_a_workloads_breach_says_nothing_of_its_pods_nodes() -> None:
    world = whole().world()

    assert soft_slo.propose(world)[0].candidates
    assert slack_by_pod(world.objectives) == {}
    assert node_slacks(world.objectives) == NodeSlacks()


def test_after_an_eviction_of_one_replica_the_workload_is_judged_anew() -> None:
    web = WorkloadRef("Deployment", "default", "web")

    assert victims(whole(records=[make_record(node="n9", workload=web, ago=STEP)]).proposals()) == []


def test_a_workload_without_a_series_is_not_measured() -> None:
    api = make_pod("api-0", node="n1", workload="api", labels={"app": "web"})

    assert victims(whole(pods=[*WEB, api]).proposals()) == [["web-1", "web-2", "web-0"]]


def test_bare_pods_belong_to_no_measured_workload() -> None:
    assert whole(pods=[make_pod("web-0", node="n0", owner=None)]).proposals() == ()
