"""Choosing victims and looking at them once more: order, scopes, deduction, and what a policy switches off."""

from dataclasses import replace

import pytest

from policies.checking import choose, recheck
from policies.model.limits import Limit
from policies.values.candidates import Candidate, Proposal, Victim
from policies.values.refusals import Refusal, Scope
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.situations import (
    chosen,
    make_candidate,
    make_policy,
    make_proposal,
    make_replicas,
    make_situation,
    make_standing,
    make_standings,
    refusals,
)

NODES = [make_node(name) for name in ("n1", "n2", "n3")]
STANDINGS = make_standings(n1=4.6, n2=1.0, n3=2.0)
HOT = frozenset({"n1"})


def test_first_candidate_that_passes_is_the_victim_and_refusals_before_it_are_kept() -> None:
    web, api = make_replicas(), make_replicas("api")
    vetoed = replace(web[0], annotations={"bayplan.dev/no-evict": ""})
    situation = make_situation(make_cluster(NODES, (vetoed, *web[1:], *api)))

    outcomes = choose([make_proposal(vetoed, api[0], make_pod("db-0"))], situation, STANDINGS, HOT)

    assert chosen(outcomes) == [("api-0", "n2")]
    assert refusals(outcomes) == {"web-0": "veto: annotation bayplan.dev/no-evict='' on the pod"}
    victim = outcomes[0].victim
    assert victim is not None
    assert victim.destination_headroom == pytest.approx(1 - (1.0 + 0.8) / 4)


def test_proposal_that_its_rule_refused_is_not_tried() -> None:
    web = make_replicas()
    refusal = Refusal("not-a-placement-problem", "all replicas breach", Scope.WORKLOAD)
    proposal = make_proposal(web[0], refusal=refusal)

    outcomes = choose([proposal], make_situation(make_cluster(NODES, web)), STANDINGS, HOT)

    assert outcomes[0].proposal.refusal is refusal
    assert chosen(outcomes) == []
    assert refusals(outcomes) == {}


def test_no_proposals_give_no_outcomes() -> None:
    assert choose([], make_situation(), STANDINGS, HOT) == ()


def test_outcomes_keep_the_order_of_the_proposals() -> None:
    web, api = make_replicas(), make_replicas("api")
    proposals = [make_proposal(api[0], rule="soft-slo"), make_proposal(web[0])]

    outcomes = choose(proposals, make_situation(make_cluster(NODES, (*web, *api))), STANDINGS, HOT)

    assert [outcome.proposal for outcome in outcomes] == proposals


def test_pod_that_two_rules_propose_is_taken_once() -> None:
    web = make_replicas()
    proposals = [make_proposal(web[0], rule="soft-slo"), make_proposal(web[0])]

    outcomes = choose(proposals, make_situation(make_cluster(NODES, web)), STANDINGS, HOT)

    assert chosen(outcomes) == [("web-0", "n2")]
    assert refusals(outcomes[1:])["web-0"].startswith("recorded: default/web-0 is chosen already in this cycle")


def test_refusal_of_a_scope_speaks_for_everybody_in_it() -> None:
    """Every candidate keeps its refusal, and nobody of the scope is looked at again."""
    web, api = make_replicas(), make_replicas("api")
    cluster = make_cluster(NODES, (*web, *api), unreadable={"poddisruptionbudgets": "403 Forbidden"})

    outcomes = choose([make_proposal(web[0]), make_proposal(api[0])], make_situation(cluster), STANDINGS, HOT)

    words = "unreadable: poddisruptionbudgets could not be read, so they are unknown: 403 Forbidden"
    assert refusals(outcomes) == {"web-0": words, "api-0": words}
    assert outcomes[0].refused[0][1] is outcomes[1].refused[0][1]


@pytest.mark.parametrize(
    ("scope", "stopped"),
    [
        ("cluster", {"web-9", "api-0", "db-0", "x-0"}),
        ("namespace", {"web-9", "api-0", "db-0"}),
        ("node", {"web-9", "api-0"}),
        ("workload", {"web-9"}),
    ],
)
def test_limit_stops_exactly_its_scope(scope: str, stopped: set[str]) -> None:
    """The first is taken; a limit of one then stops those that share its scope."""
    limit = Limit.model_validate({"scope": scope, "max": 1, "window": "10m"})
    policy = make_policy(limits=(limit,), victims_per_node=9, min_ready_replicas=0)
    pods = (
        make_pod("web-0"),
        make_pod("web-9"),
        make_pod("api-0", workload="api"),
        make_pod("db-0", node="n2", workload="db"),
        make_pod("x-0", node="n2", workload="x", namespace="other"),
    )
    situation = make_situation(make_cluster(NODES, pods), policy=policy)

    outcomes = choose([make_proposal(pod, demand=0.1) for pod in pods], situation, STANDINGS, HOT)

    by_limit = {name for name, why in refusals(outcomes).items() if why.startswith(("limits", "in-flight"))}
    assert by_limit == stopped
    assert chosen(outcomes)[0][0] == "web-0"


def test_paper_policy_evicts_without_a_destination() -> None:
    web = make_replicas()
    policy = make_policy(destination="off", net_gain="off")
    nowhere = make_situation(
        make_cluster([make_node("n1")], (web[0], *make_replicas(nodes=("n1", "n1", "n1"))[1:])), policy=policy
    )
    somewhere = make_situation(make_cluster(NODES, web), policy=policy)

    assert chosen(choose([make_proposal(web[0])], nowhere, STANDINGS, HOT)) == [("web-0", None)]
    assert chosen(choose([make_proposal(web[0])], somewhere, STANDINGS, HOT)) == [("web-0", "n2")]


def _victim(candidate: Candidate | None = None, destination: str | None = "n2") -> Victim:
    return Victim(candidate=make_candidate() if candidate is None else candidate, destination=destination)


def test_victim_on_the_same_state_is_confirmed() -> None:
    situation = make_situation(make_cluster(NODES, make_replicas()))

    assert recheck(_victim(), situation, STANDINGS, HOT) is None


def test_victim_that_is_gone_is_not_evicted() -> None:
    situation = make_situation(make_cluster(NODES, make_replicas()[1:]))

    assert str(recheck(_victim(), situation, STANDINGS, HOT)) == "gone: default/web-0 is gone"


def test_rails_are_asked_of_the_pod_as_it_is_now() -> None:
    web = make_replicas()
    situation = make_situation(make_cluster(NODES, (replace(web[0], terminating=True), *web[1:])))

    assert str(recheck(_victim(), situation, STANDINGS, HOT)) == "terminating: default/web-0 is terminating already"


def test_destination_that_is_gone_or_full_or_hot_by_now_is_refused() -> None:
    web = make_replicas()
    gone = make_situation(make_cluster([NODES[0], NODES[2]], web))
    full = make_situation(make_cluster(NODES, (*web, make_pod("db-0", node="n2", workload="db", cpu=4000))))
    same = make_situation(make_cluster(NODES, web))

    assert str(recheck(_victim(), gone, STANDINGS, HOT)) == "no-destination: destination n2 is gone"
    assert "1 not enough cpu" in str(recheck(_victim(), full, STANDINGS, HOT))
    assert "1 in trouble" in str(recheck(_victim(), same, STANDINGS, {"n1", "n2"}))
    assert "less than 0.1 left" in str(recheck(_victim(), same, STANDINGS | {"n2": make_standing("n2", 3.9)}, HOT))


def test_source_is_never_confirmed_as_destination() -> None:
    situation = make_situation(make_cluster(NODES, make_replicas()))

    refusal = recheck(_victim(destination="n1"), situation, STANDINGS, ())

    assert refusal is not None
    assert refusal.rail == "no-destination"


def test_policy_without_destinations_asks_the_rails_only() -> None:
    situation = make_situation(make_cluster(NODES, make_replicas()), policy=make_policy(destination="off"))
    paused = make_situation(make_cluster(NODES, make_replicas()), policy=make_policy(destination="off", paused=True))

    assert recheck(_victim(destination=None), situation, {}, HOT) is None
    assert str(recheck(_victim(destination=None), paused, {}, HOT)).startswith("paused")


def test_victims_acted_upon_before_count_in_the_second_look() -> None:
    web, api = make_replicas(), make_replicas("api")
    earlier = _victim(make_candidate(api[0]))
    situation = make_situation(make_cluster(NODES, (*web, *api)), victims=(earlier,))

    assert str(recheck(_victim(), situation, STANDINGS, HOT)).startswith("victims-per-node: 1 pods of n1 chosen")


def test_shuffled_snapshot_gives_the_same_choice() -> None:
    web, api = make_replicas(), make_replicas("api")
    pods = (*web, *api)
    proposals: list[Proposal] = [make_proposal(web[0], api[0])]
    first = choose(proposals, make_situation(make_cluster(NODES, pods)), STANDINGS, HOT)

    backwards = make_situation(make_cluster(reversed(NODES), reversed(pods)))

    assert choose(proposals, backwards, dict(reversed(STANDINGS.items())), HOT) == first
