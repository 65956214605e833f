"""The buoyancy rule."""

from typing import Any

import pytest

from policies.model.signals import Signals
from policies.rules import buoyancy, pod_use
from policies.values.pods import Owner
from policies.values.records import RecordState
from policies.values.refusals import Scope
from tests.builders import make_node, make_pod
from tests.policies.buoyancy.histories import STEP, make_grid
from tests.policies.buoyancy.rows import VICTIM, VICTIM_ORDER, VICTIMS
from tests.policies.rules.worlds import (
    COLUMNS,
    Given,
    make_policy,
    make_record,
    make_slo,
    names,
    rails,
    steady,
    victims,
)

PODS = (make_pod("big", cpu=1000), make_pod("small", cpu=1000))
USE = {"cpu": {"big": 1.2, "small": 0.4}}


def hot(**changes: Any) -> Given:
    """Return a node at 1.15 of 4 cores with a big and a small pod, and an idle node beside it."""
    defaults: dict[str, Any] = {
        "scores": {"cpu": {"n1": steady(1.15), "n2": steady(0.2)}},
        "use": USE,
        "pods": PODS,
    }
    return Given(**(defaults | changes))


def test_the_pod_that_takes_most_of_the_contested_resource_is_proposed_first() -> None:
    (proposal,) = hot().proposals()

    assert proposal.node == "n1"
    assert names(proposal) == ["big", "small"]
    assert proposal.trouble == "n1 has headroom -0.15, below 0, over cpu at 1.15"


def test_a_candidate_carries_the_numbers_that_decided() -> None:
    candidate = hot().proposals()[0].candidates[0]

    assert candidate.reason == (
        "n1 has headroom -0.15, below 0, over cpu at 1.15 for 180 s; default/big takes 0.3 of it"
    )
    assert candidate.evidence == pytest.approx({"headroom": -0.15, "node.cpu": 1.15, "pod.cpu": 0.3})
    assert candidate.scores == pytest.approx({"cpu": 0.3})
    assert str(candidate.workload) == "Deployment default/web"


def test_victim_on_n6() -> None:
    pods = [make_pod(row.pod, owner=Owner(row.owner, "web-rs"), labels={"app": "web"}, node="n1") for row in VICTIMS]
    given = hot(
        pods=pods,
        policy=make_policy("cpu", "llc", slos=[make_slo()], signal={"pod_per": "one"}),
        scores={"cpu": {"n1": steady(1.15)}, "llc": {"n1": steady(0.4)}},
        use={"cpu": {row.pod: row.score for row in VICTIMS}},
        slack={"p99": {f"default/{row.pod}": steady(row.slack) for row in VICTIMS}},
    )

    (proposal,) = buoyancy.propose(given.world())
    movable = [one.pod.name for one in proposal.candidates if one.pod.owner and one.pod.owner.kind != "DaemonSet"]

    assert tuple(names(proposal)) == VICTIM_ORDER
    assert movable[0] == VICTIM


def test_equals_without_a_known_slack_go_last_and_then_by_name() -> None:
    given = hot(
        pods=[make_pod(name, labels={"app": "web" if name == "d" else "x"}) for name in ("c", "b", "d")],
        use={"cpu": {"b": 0.3, "c": 0.1 + 0.2, "d": 0.3}},
        policy=make_policy("cpu", slos=[make_slo()]),
        slack={"p99": {"default/d": steady(0.9)}},
    )

    assert victims(buoyancy.propose(given.world()))[0] == ["d", "b", "c"]


def test_the_papers_rule_takes_the_first_that_could_ever_go() -> None:
    daemon = make_pod("ds", owner=Owner("DaemonSet", "ds"))
    given = hot(
        pods=[daemon, *PODS],
        use={"cpu": {"ds": 3.0, **USE["cpu"]}},
        policy=make_policy("cpu", fall_back="none"),
    )

    assert victims(given.proposals()) == [["big"]]


def test_where_nobody_could_ever_go_the_first_is_still_shown() -> None:
    daemon = make_pod("ds", owner=Owner("DaemonSet", "ds"))
    given = hot(pods=[daemon], use={"cpu": {"ds": 3.0}}, policy=make_policy("cpu", fall_back="none"))

    assert victims(given.proposals()) == [["ds"]]


@pytest.mark.parametrize("evaluations", [12, 13], ids=["165 s", "180 s"])
def test_hot_for_less_than_deschedule_after_moves_nobody(evaluations: int) -> None:
    series = steady(0.5, COLUMNS - evaluations) + steady(1.15, evaluations)

    found = victims(hot(scores={"cpu": {"n1": series, "n2": steady(0.2)}}).proposals())

    assert bool(found) is (evaluations == 13)


def test_with_deschedule_after_0_the_newest_evaluation_is_enough() -> None:
    series = [*steady(0.5, COLUMNS - 1), 1.15]
    given = hot(scores={"cpu": {"n1": series}}, policy=make_policy("cpu", deschedule_after=0.0))

    assert victims(given.proposals()) == [["big", "small"]]


def test_slack_evicts_no_neighbour() -> None:
    given = Given(
        policy=make_policy("cpu", slos=[make_slo()], only_if_node_below=0.3),
        scores={"cpu": {"n1": steady(0.45)}},
        slack={"p99": {"default/big": steady(-0.25)}},
        pods=[make_pod("big"), make_pod("small", labels={"app": "other"})],
    )

    assert victims(given.proposals()) == []


def test_a_pod_without_a_fresh_score_is_no_candidate() -> None:
    assert victims(hot(use={"cpu": {"big": None, "small": 0.4}}).proposals()) == [["small"]]


def test_without_any_candidate_the_node_is_refused_and_counted() -> None:
    (proposal,) = hot(use={"cpu": {"big": None}}).proposals()

    assert proposal.candidates == ()
    assert proposal.refusal is not None
    assert str(proposal.refusal) == (
        "no-candidate: no pod on n1 has a fresh and verified score for cpu; allowed are only pods with one"
    )
    assert proposal.refusal.scope is Scope.NODE


def test_there_is_no_falling_back_to_the_next_resource() -> None:
    given = hot(
        policy=make_policy("cpu", "llc"),
        scores={"cpu": {"n1": steady(1.15)}, "llc": {"n1": steady(1.05)}},
        use={"cpu": {}, "llc": {"big": 0.9}},
    )

    assert pod_use.wanted(given.world()) == {"cpu"}
    assert rails(given.proposals()) == ["no-candidate"]


def test_a_resource_without_a_pod_query_has_no_candidates() -> None:
    given = hot(policy=make_policy("cpu", signal={"pod": None, "pod_per": "one"}))

    assert pod_use.wanted(given.world()) == frozenset()
    assert rails(given.proposals()) == ["no-candidate"]


def test_a_history_too_short_to_judge_is_refused_as_such() -> None:
    (proposal,) = hot(scores={"cpu": {"n1": [1.15, 1.15], "n2": [0.2, 0.2]}}).proposals()

    assert proposal.refusal is not None
    assert proposal.refusal.rail == "no-history"
    assert proposal.refusal.message == "no history: 2 evaluations are known; allowed are at least 180 s of them"


def test_low_coverage_refuses_every_hot_node() -> None:
    cold = {f"n{number}": [None] * COLUMNS for number in range(2, 6)}
    (proposal,) = hot(scores={"cpu": {"n1": steady(1.15), **cold}}).proposals()

    assert proposal.refusal is not None
    assert str(proposal.refusal) == ("coverage: 20% of 5 ready nodes have all signals fresh; allowed is 80% or more")
    assert proposal.refusal.scope is Scope.CLUSTER


def test_nodes_that_are_not_ready_do_not_lower_coverage() -> None:
    nodes = [make_node("n1"), make_node("n2", ready=False), make_node("n3", terminating=True)]

    assert victims(hot(nodes=nodes, scores={"cpu": {"n1": steady(1.15)}}).proposals()) == [["big", "small"]]


def test_an_evicted_pods_share_is_taken_off_older_evaluations() -> None:
    left = make_record(ago=STEP, evidence={"pod.cpu": 0.2})

    assert victims(hot(records=[left]).proposals()) == []
    assert victims(hot(records=[make_record(ago=STEP, evidence={"pod.cpu": 0.1})]).proposals()) == [["big", "small"]]


def test_after_an_eviction_of_unknown_size_the_debounce_begins_anew() -> None:
    settled = make_record(ago=60.0 + 180.0, evidence={"grace": 0.0})
    recent = make_record(ago=60.0 + 165.0, evidence={"grace": 0.0})

    assert victims(hot(records=[settled]).proposals()) == [["big", "small"]]
    assert victims(hot(records=[recent]).proposals()) == []


def test_a_sample_of_the_moment_of_the_eviction_is_not_newer_than_it() -> None:
    at_once = make_record(ago=0.0, evidence={"pod.cpu": 0.01})

    assert rails(hot(records=[at_once]).proposals()) == ["fresh-samples"]


def test_until_the_node_is_sampled_again_nobody_else_is_taken() -> None:
    (proposal,) = hot(records=[make_record(ago=-5.0, evidence={"pod.cpu": 0.01})]).proposals()

    assert proposal.refusal is not None
    assert str(proposal.refusal) == (
        "fresh-samples: the newest sample of cpu on n1 is 5 s older than its last eviction; it must be newer"
    )


def test_a_sample_of_unknown_age_may_be_older_than_the_eviction() -> None:
    given = hot(records=[make_record(ago=900.0, evidence={"pod.cpu": 0.01})])
    world = given.world()
    world.contention.saturation.newest_sample[:] = float("nan")

    (proposal,) = buoyancy.propose(world)

    assert proposal.refusal is not None
    assert "of unknown age; it must be newer" in proposal.refusal.message


def test_observed_and_refused_evictions_took_nothing_off_the_node() -> None:
    for state in (RecordState.OBSERVED, RecordState.REFUSED):
        given = hot(records=[make_record(ago=STEP, evidence={"pod.cpu": 0.2}, state=state)])

        assert victims(given.proposals()) == [["big", "small"]]


def test_a_pod_that_is_still_ending_is_taken_off_every_evaluation() -> None:
    ending = make_pod("gone", terminating=True)
    left = make_record("gone", ago=600.0, evidence={"pod.cpu": 0.2})

    assert victims(hot(records=[left], pods=[*PODS, ending]).proposals()) == []
    assert victims(hot(records=[left]).proposals()) == [["big", "small"]]


def test_unverified_pod_use_chooses_nobody() -> None:
    given = hot()
    world = given.world(pod_grids={"cpu": make_grid({"default/big": [1.2]}, verified=False)})

    assert rails(buoyancy.propose(world)) == ["no-candidate"]


def test_pods_elsewhere_are_no_candidates() -> None:
    pods = [*PODS, make_pod("other", node="n2"), make_pod("pending", node=None)]
    given = hot(pods=pods, use={"cpu": {**USE["cpu"], "other": 4.0, "pending": 4.0, "ghost": 4.0}})

    assert victims(given.proposals()) == [["big", "small"]]


def test_pod_scores_use_the_policys_anchors_where_they_are_no_shares() -> None:
    given = hot(
        policy=make_policy("mbw", signal={"zero": 0.0, "full": 80e9}),
        scores={"mbw": {"n1": steady(90e9)}},
        use={"mbw": {"big": 40e9, "small": 8e9}},
    )

    assert given.proposals()[0].candidates[0].scores == pytest.approx({"mbw": 0.5})


def test_scores_that_do_not_add_up_are_evidence_but_not_offered_for_arithmetic() -> None:
    given = hot(policy=make_policy("cpu", signal={"additive": False}))
    candidate = given.proposals()[0].candidates[0]

    assert candidate.scores == {}
    assert candidate.evidence == pytest.approx({"headroom": -0.15, "node.cpu": 1.15, "pod.cpu": 0.3})


def test_a_policy_without_resources_proposes_nothing() -> None:
    given = Given(policy=make_policy().model_copy(update={"signals": Signals()}), pods=PODS, columns=COLUMNS)

    assert given.proposals() == ()
