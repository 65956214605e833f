"""Soft SLO limits by pod: who is proposed, and why somebody is not."""

import pytest

from policies.rules import soft_slo
from policies.values.pods import Owner
from policies.values.refusals import Scope
from tests.builders import NOW, make_pod
from tests.policies.buoyancy.histories import STEP
from tests.policies.rules.breaches import WEB, WELL, breached
from tests.policies.rules.worlds import (
    COLUMNS,
    Given,
    make_record,
    make_slo,
    names,
    rails,
    steady,
    victims,
)


def test_a_lasting_breach_on_a_contended_node_is_proposed() -> None:
    (proposal,) = breached().proposals()

    assert names(proposal) == ["web-0"]
    assert proposal.trouble == "p99 of Deployment default/web"
    candidate = proposal.candidates[0]
    assert candidate.rule == soft_slo.NAME
    assert candidate.reason == "p99 has an average slack of -0.2, below 0, on n0 with headroom 0.2"
    assert candidate.evidence == pytest.approx({"headroom": 0.2, "slack": -0.2, "node.cpu": 0.8})


def test_where_the_node_has_headroom_it_is_not_a_placement_problem() -> None:
    (proposal,) = breached(scores={"cpu": {f"n{number}": steady(0.45) for number in range(3)}}).proposals()

    assert proposal.candidates == ()
    assert proposal.workload is not None
    assert str(proposal.workload) == proposal.trouble.removeprefix("p99 of ")
    assert proposal.refusal is not None
    assert str(proposal.refusal) == (
        "not-a-placement-problem: not a placement problem: default/web-0 on n0 with headroom 0.55; "
        "allowed is only below 0.3"
    )


def test_exactly_the_limit_is_headroom_enough() -> None:
    given = breached(scores={"cpu": {"n0": steady(0.7), "n1": steady(0.7), "n2": steady(0.7)}})

    assert rails(given.proposals()) == [soft_slo.NOT_PLACEMENT]


def test_where_the_headroom_is_unknown_nobody_is_moved() -> None:
    (proposal,) = breached(scores={"cpu": {"n0": [None] * COLUMNS, "n1": steady(0.8)}}).proposals()

    assert proposal.refusal is not None
    assert str(proposal.refusal) == (
        "unknown-headroom: unknown headroom: default/web-0 on n0; without it nobody can tell whether moving would help"
    )


def test_pods_on_contended_idle_and_unknown_nodes_are_told_apart() -> None:
    given = breached(
        scores={"cpu": {"n0": steady(0.8), "n1": steady(0.1), "n2": [None] * COLUMNS}},
        slack={"p99": {f"default/web-{number}": steady(-0.2) for number in range(3)}},
        policy={"max_breached_share": 1.0},
    )

    proposals = given.proposals()

    assert victims(proposals) == [["web-0"]]
    assert rails(proposals) == [soft_slo.NOT_PLACEMENT, "unknown-headroom"]


def test_a_breach_of_most_replicas_is_refused_for_the_whole_workload() -> None:
    slack = {"default/web-0": steady(-0.2), "default/web-1": steady(-0.3), "default/web-2": WELL}
    (proposal,) = breached(slack={"p99": slack}).proposals()

    assert proposal.refusal is not None
    assert proposal.refusal.scope is Scope.WORKLOAD
    assert proposal.refusal.message == (
        "not a placement problem: 2 of 3 measured replicas breach p99 at once; at most 50% may"
    )


def test_two_measured_replicas_are_too_few_for_the_share() -> None:
    slack = {"default/web-0": steady(-0.2), "default/web-1": steady(-0.3)}

    assert victims(breached(slack={"p99": slack}).proposals()) == [["web-1", "web-0"]]


def test_the_paper_evicts_when_all_replicas_breach_on_idle_nodes() -> None:
    given = breached(
        policy={"only_if_node_below": "off", "max_breached_share": 1.0, "fall_back": "none", "consecutive": 1},
        scores={"cpu": {f"n{number}": steady(0.1) for number in range(3)}},
        slack={"p99": {f"default/web-{number}": steady(-0.2 - number / 10) for number in range(3)}},
    )

    assert victims(given.proposals()) == [["web-2"]]


def test_the_paper_needs_no_headroom_at_all() -> None:
    given = breached(policy={"only_if_node_below": "off"}, scores={}, columns=COLUMNS)

    (proposal,) = given.proposals()

    assert names(proposal) == ["web-0"]
    assert proposal.candidates[0].reason.endswith("on n0 with unknown headroom")


@pytest.mark.parametrize("breaching", [2, 3])
def test_a_breach_must_be_seen_in_consecutive_evaluations(breaching: int) -> None:
    series = steady(0.3, COLUMNS - breaching) + steady(-3.0, breaching)

    found = victims(breached(slack={"p99": {"default/web-0": series}}).proposals())

    assert bool(found) is (breaching == 3)


def test_an_unverified_indicator_moves_nobody_and_is_not_even_refused() -> None:
    assert breached(verified=False).proposals() == ()


def test_a_history_too_short_to_judge_is_refused_as_such() -> None:
    given = breached(
        slos=[make_slo(window=0.0)], slack={"p99": {"default/web-0": [-0.2, -0.2]}}, scores={"cpu": {"n0": [0.8, 0.8]}}
    )

    (proposal,) = given.proposals()

    assert proposal.refusal is not None
    assert str(proposal.refusal) == (
        "no-history: no history: 2 evaluations are known; "
        "allowed are enough for a window of 0 s before each of 3 in a row"
    )


def test_a_pod_is_not_judged_before_its_window_is_full_since_it_became_ready() -> None:
    def ready(ago: float) -> Given:
        pods = [make_pod("web-0", node="n0", ready_since=NOW - ago), *WEB[1:]]
        return breached(pods=pods)

    assert victims(ready(4 * STEP).proposals()) == []
    assert victims(ready(5 * STEP).proposals()) == [["web-0"]]


def test_a_pod_that_is_not_ready_is_not_judged() -> None:
    assert breached(pods=[make_pod("web-0", node="n0", ready_since=None)]).proposals() == ()


def test_after_an_eviction_from_its_node_a_pod_is_judged_anew() -> None:
    def evicted(ago: float) -> Given:
        return breached(records=[make_record(node="n0", ago=ago, evidence={"pod.cpu": 0.01})])

    assert victims(evicted(STEP).proposals()) == []
    assert victims(evicted(2 * STEP).proposals()) == [["web-0"]]


def test_the_worst_replica_goes_first_and_the_tighter_node_breaks_the_tie() -> None:
    given = breached(
        policy={"max_breached_share": 1.0},
        scores={"cpu": {"n0": steady(0.8), "n1": steady(0.9), "n2": steady(0.75)}},
        slack={"p99": {"default/web-0": steady(-0.2), "default/web-1": steady(-0.2), "default/web-2": steady(-0.4)}},
    )

    assert victims(given.proposals()) == [["web-2", "web-1", "web-0"]]


def test_only_pods_of_the_selector_and_the_namespaces_are_measured() -> None:
    pods = [*WEB, make_pod("other", node="n0", labels={"app": "other"})]
    slack = {"p99": {"default/other": steady(-2), "default/web-0": steady(-0.2), "default/gone": steady(-2)}}

    assert victims(breached(pods=pods, slack=slack).proposals()) == [["web-0"]]
    assert breached(slos=[make_slo(namespaces=("elsewhere",))]).proposals() == ()
    assert victims(breached(slos=[make_slo(namespaces=("default",))]).proposals()) == [["web-0"]]


def test_namespaces_out_of_scope_are_not_measured_unless_named() -> None:
    pods = [make_pod("web-0", node="n0", namespace="kube-system")]
    slack = {"p99": {"kube-system/web-0": steady(-0.2)}}

    assert breached(pods=pods, slack=slack).proposals() == ()


def test_a_bare_pod_is_proposed_on_its_own_for_the_rails_to_refuse() -> None:
    pods = [make_pod("web-0", node="n0", owner=None)]

    (proposal,) = breached(pods=pods).proposals()

    assert proposal.trouble == "p99 of default/web-0"
    assert proposal.candidates[0].workload is None


def test_each_workload_of_an_objective_has_its_own_proposal() -> None:
    api = make_pod("api-0", node="n1", workload="api", labels={"app": "web"})
    slack = {"p99": {"default/web-0": steady(-0.2), "default/api-0": steady(-0.2)}}

    assert victims(breached(pods=[*WEB, api], slack=slack).proposals()) == [["api-0"], ["web-0"]]


def test_a_workload_that_is_well_is_not_mixed_up_with_one_that_breaches() -> None:
    api = [make_pod(f"api-{number}", node="n1", workload="api", labels={"app": "web"}) for number in range(3)]
    slack = {"p99": {"default/web-0": steady(-0.2), **{f"default/{pod.name}": WELL for pod in api}}}

    assert victims(breached(pods=[*WEB, *api], slack=slack).proposals()) == [["web-0"]]


def test_more_is_better() -> None:
    slo = make_slo(at_most=None, at_least=1000.0)
    given = breached(slos=[slo], slack={"p99": {"default/web-0": steady(1 - 900.0)}})

    assert given.proposals()[0].candidates[0].evidence["slack"] == pytest.approx(-0.1)


def test_many_pods_are_named_a_few_and_counted() -> None:
    pods = [make_pod(f"web-{number}", node="n0") for number in range(5)]
    given = breached(
        pods=pods,
        policy={"max_breached_share": 1.0},
        scores={"cpu": {"n0": steady(0.1)}},
        slack={"p99": {f"default/web-{number}": steady(-0.2) for number in range(5)}},
    )

    (proposal,) = given.proposals()

    assert proposal.refusal is not None
    assert "default/web-2 on n0 with headroom 0.9 and 2 more; allowed" in proposal.refusal.message


def test_a_daemon_does_not_use_up_the_papers_one_try() -> None:
    daemon = make_pod("a-daemon", node="n0", owner=Owner("DaemonSet", "web-rs"))
    given = breached(
        pods=[daemon, *WEB],
        policy={"fall_back": "none", "only_if_node_below": "off"},
        slos=[make_slo(per="pod")],
        slack={"p99": {"default/a-daemon": steady(-0.9), "default/web-0": steady(-0.2)}},
    )

    assert sorted(victims(given.proposals())) == [["a-daemon"], ["web-0"]]
