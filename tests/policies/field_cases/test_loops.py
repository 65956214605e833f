"""How loops and churn are kept out (cases 001 to 014)."""

from typing import Any

import pytest

from policies.model.limits import CoolDown, Limit
from policies.values.nodes import Taint
from policies.values.pods import Constraints, Toleration
from policies.values.records import Landing
from tests.builders import NOW, make_node
from tests.policies.feasibility.places import apart
from tests.policies.field_cases.cases import FREE, Case, run
from tests.policies.situations import (
    chosen,
    make_policy,
    make_record,
    refusals,
)


def test_fc_001_workload_that_returned_is_not_taken_from_the_same_node_again() -> None:
    case = Case({"n1": {f"web-{at}": 0.55 for at in range(8)}, "n2": {"ds": 1.0}})
    returned = make_record("web-9", ago=300, landing=Landing.RETURNED, landed_on="n1", ready_ago=290)

    outcomes = run(case, records=(returned,))

    assert chosen(outcomes) == []
    assert {why.partition(":")[0] for why in refusals(outcomes).values()} == {"cool-down"}
    assert "recently evicted from this node" in refusals(outcomes)["web-0"]


def test_fc_005_pod_too_big_for_any_headroom_stays_however_often_one_looks() -> None:
    case = Case({"n1": {"big-0": 3.8, "ds": 0.4}, "n2": {"ds": 1.0}, "n3": {"ds": 1.0}})

    for cycle in range(60):
        outcomes = run(case, now=NOW + 60 * cycle)

        assert chosen(outcomes) == []
        assert refusals(outcomes)["big-0"].startswith("no-useful-move: no useful move: 2 of 3 nodes could take it")
        assert "buoyancy with it: n2 -0.20, n3 -0.20" in refusals(outcomes)["big-0"]


def _three_hot(spare: float) -> Case:
    hot = {f"n{at}": {f"big{at}-0": 3.8, f"small{at}-0": 0.5} for at in (1, 2, 3)}
    return Case(hot | {"n4": {"ds": spare}})


def test_fc_006_small_pods_go_where_the_big_ones_would_not_fit() -> None:
    outcomes = run(_three_hot(2.0), policy=FREE)

    assert chosen(outcomes) == [(f"small{at}-0", "n4") for at in (1, 2, 3)]
    last = outcomes[2].victim
    assert last is not None
    assert last.destination_headroom == pytest.approx(0.125)


def test_fc_006_no_move_where_even_the_small_ones_do_not_fit() -> None:
    outcomes = run(_three_hot(3.4), policy=FREE)

    assert chosen(outcomes) == []
    assert all(why.startswith("no-useful-move") for why in refusals(outcomes).values())


def test_fc_007_pod_that_cannot_go_anywhere_gives_way_to_one_that_can() -> None:
    alone = {"constraints": Constraints(anti_affinity=(apart(app="a"),))}
    case = Case(
        {"n1": {"a-0": 1.5, "b-0": 1.0, "ds": 1.9}, "n2": {"a-1": 0.5, "ds": 0.5}}, pods={"a-0": alone, "a-1": alone}
    )

    outcomes = run(case)

    assert chosen(outcomes) == [("b-0", "n2")]
    assert "1 anti-affinity" in refusals(outcomes)["a-0"]


def test_fc_009_two_rules_with_ten_candidates_each_keep_the_cluster_limit() -> None:
    policy = make_policy(
        limits=(Limit(scope="cluster", max=6, window=3600.0),), victims_per_node=100, cool_down=CoolDown(initial=0.0)
    )
    case = Case({"n1": {f"w{at}-0": 0.5 for at in range(20)}, "n2": {"ds": 0.0}}, nodes=(make_node("n2", cpu=64000),))

    outcomes = run(case, policy=policy, times=20)

    assert len(chosen(outcomes)) == 6
    assert "cluster limit of 6 per 3600 s in eviction.limits: 6 used" in refusals(outcomes)["w19-0"]


def test_fc_010_pod_that_may_only_run_where_it_is_stays() -> None:
    taint = Taint("node-role.kubernetes.io/control-plane", "", "NoSchedule")
    cp1 = make_node("cp1", labels={taint.key: ""}, taints=(taint,))
    rules = Constraints(node_selector=((taint.key, ""),), tolerations=(Toleration(taint.key, "Exists"),))
    case = Case(
        {"cp1": {"ui-0": 1.0, "ds": 3.4}, "n1": {}, "n2": {}}, nodes=(cp1,), pods={"ui-0": {"constraints": rules}}
    )

    outcomes = run(case)

    assert chosen(outcomes) == []
    assert refusals(outcomes)["ui-0"].endswith("the only feasible node is the source")


def test_fc_012_pod_that_just_moved_stays_and_another_goes() -> None:
    case = Case({"n1": {"ds": 1.2}, "n2": {"vm-0": 2.5, "x-0": 1.0, "ds": 1.0}, "n3": {"ds": 1.0}})
    moved: dict[str, Any] = {"workload": "vm", "landing": Landing.MOVED}
    moves = (
        make_record("old-0", ago=3000, node="n3", landed_on="n2", replacement="old-1", **moved),
        make_record("old-1", ago=1500, node="n2", landed_on="n1", replacement="old-2", **moved),
        make_record("old-2", ago=660, node="n1", landed_on="n2", replacement="vm-0", ready_ago=620, **moved),
    )

    outcomes = run(case, records=moves)

    assert chosen(outcomes) == [("x-0", "n3")]
    assert "moved here by 3 moves in a row" in refusals(outcomes)["vm-0"]


def test_fc_012_move_in_progress_blocks_a_second_one() -> None:
    case = Case({"n2": {"vm-0": 2.5, "x-0": 1.0, "ds": 1.0}, "n3": {"ds": 1.0}})
    moving = make_record("vm-7", workload="vm", ago=60, node="n9", destination="n1")

    outcomes = run(case, records=(moving,))

    assert refusals(outcomes)["vm-0"].startswith(
        "in-flight: default/vm-7 of Deployment default/vm was evicted 60 s ago"
    )
    assert chosen(outcomes) == [("x-0", "n3")]


def test_fc_014_third_eviction_of_a_workload_waits_and_others_do_not() -> None:
    nodes = {f"h{at}": {f"web-{at}": 1.0, f"api-{at}": 0.9, "ds": 2.3} for at in range(5)}
    case = Case(nodes | {"cool": {}}, nodes=(make_node("cool", cpu=64000),))
    policy = make_policy(limits=(Limit(scope="workload", max=2, window=300.0),), cool_down=CoolDown(initial=0.0))
    settled: dict[str, Any] = {"landing": Landing.MOVED, "landed_on": "cool", "ready_ago": 100}
    records = tuple(make_record(f"gone-{at}", ago=ago, node="h9", **settled) for at, ago in ((0, 299), (1, 200)))

    outcomes = run(case, policy=policy, records=records)
    later = run(case, policy=policy, records=records, now=NOW + 1)

    assert "workload limit of 2 per 300 s in eviction.limits: 2 used, frees in 1 s" in refusals(outcomes)["web-0"]
    assert chosen(outcomes)[0][0] == "api-0"
    assert chosen(later)[0][0] == "web-0"
