"""Whom owners, lists, nodes and age protect (cases 036 to 045)."""

import random
from collections.abc import Mapping
from typing import Any

from policies.checking import choose
from policies.values import kinds
from policies.values.candidates import Outcome, Proposal
from policies.values.pods import Owner, Phase
from tests.builders import NOW, make_cluster, make_node, make_pod, make_workload
from tests.policies.field_cases.cases import Case, run, staged
from tests.policies.situations import (
    chosen,
    make_candidate,
    make_policy,
    make_situation,
    make_standing,
    refusals,
)


def test_fc_036_vetoed_pods_stay_and_the_next_one_goes() -> None:
    case = Case(
        {"n1": {"a-0": 1.2, "b-0": 1.1, "c-0": 1.0, "ds": 1.3}, "n2": {}},
        pods={
            "a-0": {"annotations": {"bayplan.dev/no-evict": "true"}},
            "b-0": {"annotations": {"descheduler.alpha.kubernetes.io/prefer-no-eviction": ""}},
        },
    )

    outcomes = run(case)

    assert chosen(outcomes) == [("c-0", "n2")]
    assert {name: why.partition(":")[0] for name, why in refusals(outcomes).items()} == {"a-0": "veto", "b-0": "veto"}


def test_fc_036_annotation_on_the_workload_protects_all_its_pods() -> None:
    vetoed = make_workload("web", annotations={"bayplan.dev/no-evict": "true"})

    outcomes = run(Case({"n1": {"web-0": 1.0, "ds": 3.6}, "n2": {}}), workloads=(vetoed,))

    assert refusals(outcomes)["web-0"] == "veto: annotation bayplan.dev/no-evict='true' on Deployment default/web"


def test_fc_037_list_that_was_not_read_is_unknown_and_everybody_is_told_why() -> None:
    case = Case({"n1": {f"w{at}-0": 0.2 for at in range(40)}, "n2": {}}, nodes=(make_node("n2", cpu=64000),))

    blind = run(case, unreadable={kinds.PDBS: "403 Forbidden"})
    seeing = run(case)

    assert chosen(blind) == []
    assert len(refusals(blind)) == 40
    assert set(refusals(blind).values()) == {
        "unreadable: poddisruptionbudgets could not be read, so they are unknown: 403 Forbidden"
    }
    assert len(chosen(seeing)) == 1


def test_fc_038_no_eviction_from_a_cordoned_node_and_none_to_it() -> None:
    from_it = Case({"n1": {"web-0": 1.0, "ds": 3.6}, "n2": {}}, nodes=(make_node("n1", cordoned=True),))
    to_it = Case({"n1": {"web-0": 1.0, "ds": 3.6}, "n2": {}}, nodes=(make_node("n2", cordoned=True),))

    assert refusals(run(from_it))["web-0"] == "source-node: node n1 is cordoned"
    assert "1 cordoned" in refusals(run(to_it))["web-0"]


def test_fc_038_four_cordoned_nodes_of_ten_pause_everything_until_they_are_back() -> None:
    demand: dict[str, dict[str, float]] = {"n1": {"web-0": 1.0, "ds": 3.6}, **{f"n{at}": {} for at in range(2, 10)}}
    cordoned = tuple(make_node(f"n{at}", cordoned=True) for at in range(2, 6))

    paused, resumed = run(Case(demand, nodes=cordoned)), run(Case(demand))

    assert refusals(paused)["web-0"].startswith("unusable-nodes: 4 of 10 nodes take no pods")
    assert chosen(resumed) == [("web-0", "n2")]


def test_fc_039_young_pod_is_passed_over_for_an_older_one() -> None:
    young = {"started_at": NOW - 30, "ready_since": NOW - 30}
    case = Case({"n1": {"a-0": 1.5, "b-0": 1.0, "ds": 2.0}, "n2": {}}, pods={"a-0": young})

    outcomes = run(case)

    assert chosen(outcomes) == [("b-0", "n2")]
    assert refusals(outcomes)["a-0"].startswith("min-age: too young: 30 s")


def test_fc_041_the_same_choice_in_fifty_random_orders() -> None:
    stage = staged(Case({"n1": {f"w{at}-0": 0.5 for at in range(10)}, "n2": {}, "n3": {}}))
    pods, nodes = list(stage.cluster.pods.values()), list(stage.cluster.nodes.values())
    seen = set()

    for seed in range(50):
        shuffle = random.Random(seed)  # an order, not a secret
        shuffle.shuffle(pods)
        shuffle.shuffle(nodes)
        situation = make_situation(make_cluster(nodes, pods))
        seen.add(repr(choose(stage.proposals, situation, stage.standings, stage.hot)))

    assert len(seen) == 1


def test_fc_043_at_most_one_victim_a_node_and_cycle_by_default() -> None:
    case = Case({"n1": {f"w{at}-0": 0.6 for at in range(8)}, "n2": {}, "n3": {}})

    outcomes = run(case, policy=make_policy(limits=()), times=3)

    assert len(chosen(outcomes)) == 1
    assert (
        refusals(outcomes[1:])["w1-0"]
        == "victims-per-node: 1 pods of n1 chosen in this cycle, eviction.victimsPerNode is 1"
    )


def _kafka(names: Mapping[str, Mapping[str, Any]], *, hot: str = "n1") -> tuple[Outcome, ...]:
    """Return what comes of the pods of a StatefulSet of five on the hot node, the largest demand first."""
    revision = {"app": "kafka", "controller-revision-hash": "kafka-1"}
    pods = [
        make_pod(name, workload="kafka", labels=revision, owner=Owner("StatefulSet", "kafka"), **changes)
        for name, changes in names.items()
    ]
    workload = make_workload("kafka", kind="StatefulSet", wanted=5, update_revision="kafka-1")
    cluster = make_cluster([make_node(name) for name in ("n1", "n2", "n3")], pods, [workload])
    candidates = tuple(make_candidate(pod) for pod in pods if pod.node == hot)
    standings = {name: make_standing(name, demand) for name, demand in (("n1", 4.8), ("n2", 1.0), ("n3", 1.2))}
    proposal = Proposal(rule="buoyancy", trouble="n1", node="n1", candidates=candidates)
    return choose([proposal], make_situation(cluster), standings, {"n1"})


def test_fc_044_highest_ordinal_goes_first_and_never_two_at_once() -> None:
    elsewhere: dict[str, dict[str, Any]] = {"kafka-0": {"node": "n2"}, "kafka-2": {"node": "n3"}}

    first = _kafka({**elsewhere, "kafka-1": {}, "kafka-3": {}, "kafka-4": {}})
    meanwhile = _kafka({**elsewhere, "kafka-1": {}, "kafka-3": {}, "kafka-4": {"node": "n2", "ready": False}})
    afterwards = _kafka({**elsewhere, "kafka-1": {}, "kafka-3": {}, "kafka-4": {"node": "n2"}})

    assert chosen(first) == [("kafka-4", "n2")]
    assert refusals(first)["kafka-3"].endswith("kafka-4 is proposed too and goes before kafka-3")
    assert chosen(meanwhile) == []
    assert refusals(meanwhile)["kafka-3"].endswith("kafka-4 of StatefulSet default/kafka is not Ready")
    assert chosen(afterwards) == [("kafka-3", "n2")]


def test_fc_045_pods_without_a_controller_stay_also_failed_ones() -> None:
    case = Case(
        {"n1": {"bare-run": 1.5, "bare-failed": 1.0, "ds": 2.0}, "n2": {}},
        pods={"bare-run": {"owner": None}, "bare-failed": {"owner": None, "phase": Phase.FAILED}},
    )

    outcomes = run(case)

    assert chosen(outcomes) == []
    assert all("has no controller" in why for why in refusals(outcomes).values())
