"""How much may be disrupted at once (cases 026 to 032)."""

from policies.checking import choose
from policies.model.limits import CoolDown, Limit
from policies.model.policy import Policy
from policies.values.candidates import Outcome, Proposal
from policies.values.pdbs import Pdb
from policies.values.records import Landing
from policies.values.selectors import LabelSelector
from tests.builders import NOW, make_cluster, make_node, make_pod
from tests.policies.feasibility.places import labelled
from tests.policies.field_cases.cases import REST, Case, run, staged
from tests.policies.situations import (
    chosen,
    make_candidate,
    make_policy,
    make_record,
    make_situation,
    make_standing,
    refusals,
)


def test_fc_026_pod_under_two_budgets_is_refused_before_any_call() -> None:
    everything = Pdb(namespace="default", name="all", selector=LabelSelector(), disruptions_allowed=5)
    web = Pdb(namespace="default", name="web", selector=labelled(app="web"), disruptions_allowed=5)

    outcomes = run(Case({"n1": {"web-0": 1.0, "ds": 3.6}, "n2": {}}), pdbs=(everything, web))

    assert refusals(outcomes)["web-0"] == "pdb: several PDBs: default/all, default/web select default/web-0"


def test_fc_028_only_the_workload_with_replicas_to_spare_is_a_candidate() -> None:
    budget = Pdb(namespace="default", name="pair", selector=labelled(app="pair"), disruptions_allowed=0)
    case = Case({"n1": {"solo-0": 1.4, "duo-0": 1.3, "pair-0": 1.2, "trio-0": 1.0}, "n2": {}}, replicas=0)
    stage = staged(case, pdbs=(budget,))
    siblings = [
        make_pod("duo-1", node="rest", workload="duo", ready=False),
        *(make_pod(f"{name}-{at}", node="rest", workload=name) for name in ("trio", "pair") for at in (1, 2)),
    ]
    pods = [*stage.cluster.pods.values(), *siblings]
    cluster = make_cluster(stage.cluster.nodes.values(), pods, pdbs=(budget,))

    for observing in (False, True):
        situation = make_situation(cluster, observing=observing)
        outcomes = choose(stage.proposals, situation, stage.standings, stage.hot)

        assert chosen(outcomes) == [("trio-0", "n2")]
        assert {name: why.partition(":")[0] for name, why in refusals(outcomes).items()} == {
            "solo-0": "ready-floor",
            "duo-0": "ready-floor",
            "pair-0": "pdb",
        }


def _three_hot_two_namespaces(policy: Policy) -> list[Outcome]:
    """Return what comes of three hot nodes with five movable pods each, five times in a row, from two namespaces."""
    names = [f"n{at}" for at in (1, 2, 3)]
    nodes = [*(make_node(name) for name in names), make_node("cool", cpu=64000), REST]
    pods = [
        make_pod(f"w{at}{slot}-0", node=name, workload=f"w{at}{slot}", namespace=("shop", "bank")[slot % 2], cpu=100)
        for at, name in enumerate(names)
        for slot in range(5)
    ]
    others = [
        make_pod(f"{pod.labels['app']}-{extra}", node="rest", workload=pod.labels["app"], namespace=pod.namespace)
        for pod in pods
        for extra in (1, 2)
    ]
    standings = {name: make_standing(name, 4.5) for name in names} | {"cool": make_standing("cool", 1.0, capacity=64.0)}
    proposals = [
        Proposal(rule="buoyancy", trouble=name, node=name, candidates=tuple(make_candidate(pod) for pod in here))
        for name in names
        for here in ([pod for pod in pods if pod.node == name],)
    ]
    situation = make_situation(make_cluster(nodes, [*pods, *others]), policy=policy)
    return list(choose(proposals * 5, situation, standings, set(names)))


def test_fc_030_all_limits_hold_at_once_and_each_refusal_names_its_own() -> None:
    caps = {"node": 2, "namespace": 3, "cluster": 4, "workload": 1}
    limits = tuple(Limit.model_validate({"scope": scope, "max": most, "window": "1m"}) for scope, most in caps.items())
    policy = make_policy(limits=limits, victims_per_node=9, cool_down=CoolDown(initial=0.0))

    outcomes = _three_hot_two_namespaces(policy)

    victims = [outcome.victim.candidate for outcome in outcomes if outcome.victim is not None]
    assert len(victims) == 4
    assert max(sum(victim.node == node for victim in victims) for node in ("n1", "n2", "n3")) <= 2
    assert max(sum(victim.pod.namespace == name for victim in victims) for name in ("shop", "bank")) <= 3
    assert len({victim.pod.labels["app"] for victim in victims}) == 4
    words = {str(refusal) for outcome in outcomes for _, refusal in outcome.refused}
    named = {scope for scope in caps if any(f"limits: {scope} limit of {caps[scope]}" in why for why in words)}
    assert "cluster" in named


def test_fc_030_each_limit_alone_is_named() -> None:
    for scope, most in (("node", 2), ("namespace", 3), ("cluster", 4)):
        limit = Limit.model_validate({"scope": scope, "max": most, "window": "1m"})
        policy = make_policy(limits=(limit,), victims_per_node=9, cool_down=CoolDown(initial=0.0))

        words = {str(refusal) for outcome in _three_hot_two_namespaces(policy) for _, refusal in outcome.refused}

        assert any(f"limits: {scope} limit of {most} per 60 s in eviction.limits: {most} used" in why for why in words)


def test_fc_030_a_cluster_limit_of_zero_means_none() -> None:
    policy = make_policy(limits=(Limit(scope="cluster", max=0, window=60.0),))

    outcomes = _three_hot_two_namespaces(policy)

    assert chosen(outcomes) == []
    assert {str(refusal) for outcome in outcomes for _, refusal in outcome.refused} == {
        "limits: cluster limit of 0 per 60 s in eviction.limits: none is allowed"
    }


def test_fc_032_second_eviction_waits_until_the_replacement_has_been_ready_long_enough() -> None:
    """Evicted at 0 s, Ready at 40 s, not Ready at 45 s, Ready again at 60 s: complete at 90 s."""
    policy = make_policy(limits=(), cool_down=CoolDown(initial=0.0))
    seen: list[float] = []
    for second in range(0, 121, 5):
        ready_since = None if second < 40 or 45 <= second < 60 else NOW + (40 if second < 45 else 60)
        replacement = make_pod("web-1", node="n3", ready=ready_since is not None, ready_since=ready_since)
        record = make_record(
            "web-9", at=NOW, node="n8", landing=Landing.MOVED, replacement="web-1", landed_on="n3", ready_ago=-40
        )
        web = [make_pod("web-0"), make_pod("web-2", node="rest"), make_pod("web-3", node="rest"), replacement]
        cluster = make_cluster([make_node("n1"), make_node("n2"), make_node("n3"), REST], web, now=NOW + second)
        proposal = Proposal(rule="buoyancy", trouble="n1", node="n1", candidates=(make_candidate(web[0]),))
        standings = {name: make_standing(name, demand) for name, demand in (("n1", 4.6), ("n2", 1.0))}
        situation = make_situation(cluster, policy=policy, records=(record,))
        if chosen(choose([proposal], situation, standings, {"n1"})):
            seen.append(second)

    assert seen == [90, 95, 100, 105, 110, 115, 120]
