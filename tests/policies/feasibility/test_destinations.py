"""Destinations: feasible, fully measured, afloat afterwards, and better off than the source."""

from typing import Any

import pytest

from policies.feasibility.destinations import Search, destinations
from policies.model.buoyancy import Buoyancy
from policies.model.signals import ResourceSignal
from policies.values.candidates import Candidate, Victim
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.records import Landing
from policies.values.resources import NOTHING
from policies.values.standings import Confidence, NodeStanding
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.situations import (
    CPU,
    make_candidate,
    make_policy,
    make_record,
    make_situation,
    make_standing,
    make_standings,
)

PSI = ResourceSignal(node="psi")


def _search(
    standings: dict[str, NodeStanding],
    *,
    candidate: Candidate | None = None,
    nodes: list[Node] | None = None,
    pods: tuple[Pod, ...] = (),
    troubled: tuple[str, ...] = ("n1",),
    **situation: Any,
) -> Search:
    candidate = make_candidate() if candidate is None else candidate
    nodes = [make_node(name) for name in standings] if nodes is None else nodes
    cluster = make_cluster(nodes, [candidate.pod, *pods])
    return destinations(candidate, make_situation(cluster, **situation), standings=standings, troubled=troubled)


def _names(found: Search) -> list[str]:
    return [destination.node for destination in found.ranked]


def _message(found: Search) -> str:
    refusal = found.refusal()
    assert refusal is not None
    return str(refusal)


def test_most_headroom_afterwards_comes_first_and_the_source_never() -> None:
    found = _search(make_standings(n1=4.6, n2=2.0, n3=1.0, n4=2.0), candidate=make_candidate(cpu=0.2))

    assert _names(found) == ["n3", "n2", "n4"]
    assert found.ranked[0].headroom == pytest.approx(1 - (1.0 + 0.8) / 4)
    assert found.refusal() is None


def test_fc_013_source_with_the_most_room_is_not_in_the_set() -> None:
    found = _search(make_standings(n1=0.4, n2=3.9), troubled=())

    assert _names(found) == []


def test_a_bigger_node_feels_the_pod_less() -> None:
    big = [make_node("n1"), make_node("n2", cpu=8000)]

    found = _search({"n1": make_standing("n1", 4.6), "n2": make_standing("n2", 4.0, capacity=8.0)}, nodes=big)

    assert found.ranked[0].headroom == pytest.approx(1 - (4.0 + 0.8) / 8)


@pytest.mark.parametrize(
    "changes",
    [
        {"confidence": Confidence.PARTIAL},
        {"confidence": Confidence.UNKNOWN, "headroom": None},
        {"refusable": False},
        {"scores": {}},
    ],
)
def test_node_that_is_not_measured_in_full_is_no_destination(changes: dict[str, Any]) -> None:
    found = _search({"n1": make_standing("n1", 4.6), "n2": make_standing("n2", 1.0, **changes)})

    assert _message(found) == "no-useful-move: no useful move: 1 of 1 nodes could take it: 1 not measured in full"


def test_node_without_any_standing_is_no_destination() -> None:
    found = _search(make_standings(n1=4.6), nodes=[make_node("n1"), make_node("n2")])

    assert "1 not measured in full" in _message(found)


def test_source_that_is_not_measured_gives_nobody_away() -> None:
    found = _search(make_standings(n2=1.0), nodes=[make_node("n1"), make_node("n2")])

    assert "1 source not measured in full" in _message(found)


def test_node_in_trouble_is_no_destination_whatever_it_measures_now() -> None:
    found = _search(make_standings(n1=4.6, n2=1.0), troubled=("n1", "n2"))

    assert "1 in trouble" in _message(found)


def test_node_that_the_extender_steers_away_from_is_no_destination() -> None:
    record = make_record("web-9", ago=300, node="n2", landing=Landing.MOVED, landed_on="n1", ready_ago=280)

    steered = _search(make_standings(n1=4.6, n2=1.0), records=(record,))
    observed_only = _search(make_standings(n1=4.6, n2=1.0), records=())

    assert "1 recently evicted from there" in _message(steered)
    assert _names(observed_only) == ["n2"]


def test_headroom_must_stay_what_the_filter_asks_for() -> None:
    exactly = _search(make_standings(n1=4.6, n2=2.8), candidate=make_candidate(cpu=0.2))
    below = _search(make_standings(n1=4.6, n2=2.9), candidate=make_candidate(cpu=0.2))

    assert _names(exactly) == ["n2"]
    assert _message(below).endswith("1 less than 0.1 left; buoyancy with it: n2 0.07")


def test_slack_counts_as_the_filter_counts_it() -> None:
    standings = {"n1": make_standing("n1", 4.6), "n2": make_standing("n2", 1.0, slack=0.05)}
    by_slack = make_policy().model_copy(update={"buoyancy": Buoyancy(include_slack="filter")})

    assert _names(_search(standings)) == ["n2"]
    assert _message(_search(standings, policy=by_slack)).endswith("1 less than 0.1 left; buoyancy with it: n2 0.05")


def test_move_that_only_moves_the_trouble_gains_nothing() -> None:
    standings = make_standings(n1=2.0, n2=1.8)
    candidate = make_candidate(cpu=0.2)

    assert "1 no net gain; buoyancy with it: n2 0.35" in _message(_search(standings, candidate=candidate))
    indifferent = make_policy(net_gain="off")
    assert _names(_search(standings, candidate=candidate, policy=indifferent)) == ["n2"]


def test_candidate_without_a_measured_score_needs_more_headroom_beforehand() -> None:
    unmeasured = make_candidate(cpu=None)

    assert _names(_search(make_standings(n1=4.6, n2=3.2), candidate=unmeasured)) == ["n2"]
    found = _search(make_standings(n1=4.6, n2=3.3), candidate=unmeasured)
    assert "1 not 0.1 more than 0.1 beforehand" in _message(found)


def test_fc_052_resource_that_does_not_add_up_takes_one_pod_until_the_next_samples() -> None:
    policy = make_policy(resources={"psi": PSI})
    standings = {
        name: make_standing(name, demand, contested="psi", scores={"psi": demand / 4})
        for name, demand in {"n1": 4.6, "n2": 1.0, "n3": 1.2}.items()
    }
    mover = make_candidate(cpu=None)
    other = make_candidate(make_pod("api-0", workload="api", node="n3"), cpu=None)

    assert _names(_search(standings, policy=policy)) == ["n2", "n3"]
    arrived = (Victim(candidate=other, destination="n2"),)
    assert _names(_search(standings, candidate=mover, pods=(other.pod,), policy=policy, victims=arrived)) == ["n3"]
    left = (Victim(candidate=make_candidate(make_pod("api-0", workload="api"), cpu=None), destination="n2"),)
    found = _search(standings, candidate=mover, policy=policy, victims=left)
    assert "2 waits for samples of an earlier move" in _message(found)


def test_both_kinds_of_resources_must_agree() -> None:
    policy = make_policy(resources={"cpu": CPU, "psi": PSI})
    standings = {
        "n1": make_standing("n1", 4.6, scores={"cpu": 1.15, "psi": 0.2}),
        "n2": make_standing("n2", 1.0, scores={"cpu": 0.25, "psi": 0.85}),
        "n3": make_standing("n3", 2.0, scores={"cpu": 0.5, "psi": 0.7}),
    }

    found = _search(standings, policy=policy)

    assert _names(found) == ["n3"]
    assert found.useless == {"not 0.1 more than 0.1 beforehand": 1}


def test_planned_moves_add_their_load() -> None:
    other = make_candidate(make_pod("api-0", workload="api", node="n3"), cpu=0.5)
    victims = (Victim(candidate=other, destination="n2"),)
    standings = make_standings(n1=4.6, n2=1.0, n3=4.2)

    before = _search(standings, pods=(other.pod,), troubled=("n1", "n3"))
    afterwards = _search(standings, pods=(other.pod,), victims=victims, troubled=("n1", "n3"))

    assert _names(before) == ["n2"]
    assert "1 less than 0.1 left; buoyancy with it: n2 0.05" in _message(afterwards)


def test_destination_of_a_move_in_flight_of_unknown_size_is_closed() -> None:
    record = make_record("db-0", workload="db", node="n3", destination="n2")

    found = _search(make_standings(n1=4.6, n2=1.0, n3=3.9), records=(record,))

    assert "1 expects a pod of unknown size" in _message(found)


def test_victim_without_a_destination_takes_no_room() -> None:
    other = make_candidate(make_pod("api-0", workload="api", node="n3"))
    victims = (Victim(candidate=other, destination=None), Victim(candidate=other, destination="vanished"))

    found = _search(make_standings(n1=4.6, n2=1.0), pods=(other.pod,), victims=victims)

    assert found.ranked[0].headroom == pytest.approx(0.55)


def test_where_nobody_is_measured_there_is_nothing_to_compute() -> None:
    found = _search({}, nodes=[make_node("n1"), make_node("n2")])

    assert "1 source not measured in full" in _message(found)


def test_cluster_of_one_node_has_no_destination() -> None:
    found = _search(make_standings(n1=4.6))

    assert _message(found) == (
        "no-destination: 0 usable destinations of 0: there is no other node; the only feasible node is the source"
    )


def test_refusal_counts_every_reason_the_most_frequent_first() -> None:
    nodes = [make_node("n1"), make_node("n2", cpu=50), make_node("n3", cordoned=True), make_node("n4", cpu=50)]

    found = _search(make_standings(n1=4.6), nodes=nodes)

    assert _message(found).startswith("no-destination: 0 usable destinations of 3: 2 not enough cpu, 1 cordoned")


def test_useless_and_infeasible_nodes_are_told_apart() -> None:
    nodes = [make_node(f"n{at}") for at in range(1, 7)] + [make_node("n7", cordoned=True)]
    standings = make_standings(n1=4.6, n2=3.5, n3=3.6, n4=3.7, n5=3.8, n6=3.9)

    found = _search(standings, nodes=nodes)

    assert _message(found) == (
        "no-useful-move: no useful move: 5 of 6 nodes could take it: 5 less than 0.1 left; "
        "buoyancy with it: n2 -0.07, n3 -0.10, n4 -0.12; not feasible: 1 cordoned"
    )


def test_node_that_declares_no_capacity_shares_the_pod_as_it_is() -> None:
    nodes = [make_node("n1"), make_node("n2", allocatable=NOTHING)]
    pod = make_pod(requests=NOTHING)

    found = _search(make_standings(n1=4.6, n2=1.0), candidate=make_candidate(pod, cpu=0.2), nodes=nodes)

    assert found.ranked[0].headroom == pytest.approx(0.55)
