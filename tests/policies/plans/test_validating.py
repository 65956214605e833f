"""Plans on fresh state: what has drifted, what cannot stand, which rail refuses, counted jointly; and every step."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model.limits import Limit
from policies.model.policy import Policy
from policies.plans.validating import invalid, step_still_good
from policies.rails.situation import Situation
from policies.values.clusters import Cluster
from policies.values.pdbs import Pdb
from policies.values.plans import Plan
from policies.values.pods import Phase
from policies.values.selectors import LabelSelector, Operator, Requirement
from policies.values.workloads import WorkloadRef
from tests.builders import NOW, make_cluster, make_node, make_pod, make_resources, make_workload
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_node, with_pods
from tests.policies.plans.test_converging import scaled
from tests.policies.plans.test_rails import make_plan_policy
from tests.policies.situations import make_record, make_situation

BARE = make_pod("bare", node=None, owner=None, cpu=500)


def situation_of(cluster: Cluster, policy: Policy | None = None, **changes: Any) -> Situation:
    """Return an ordinary situation of a cluster; validation puts the rules of plans in force itself."""
    return make_situation(cluster, policy=policy or make_plan_policy(), **changes)


def said(plan: Plan, cluster: Cluster, policy: Policy | None = None, **changes: Any) -> str | None:
    """Return in words why a plan is not valid on a cluster."""
    resting = changes.pop("resting", None)
    refusal = invalid(plan, situation_of(cluster, policy, **changes), resting=resting)
    return None if refusal is None else str(refusal)


def changed(name: str, **changes: Any) -> Cluster:
    """Return the paper's example with one pod changed."""
    cluster = the_paper()
    return with_pods(cluster, replace(cluster.pods[f"uid-{name}"], **changes))


def allows(count: int | None, app: str, name: str = "pdb") -> Pdb:
    """Return a PDB of the pods of one app."""
    selector = LabelSelector((Requirement("app", Operator.IN, (app,)),))
    return Pdb(namespace="default", name=name, selector=selector, disruptions_allowed=count)


def test_the_papers_plan_is_valid() -> None:
    assert said(the_papers_plan(), the_paper()) is None


# ---------------------------------------------------------------------- drift


GONE = with_pods(the_paper(), without=("web-2",))
DRIFTED: Mapping[str, Cluster] = {
    "default/web-2 on n2 is gone": GONE,
    "default/web-2 on n2 is gone ": changed("web-2", phase=Phase.FAILED),
    "default/web-2 is on n1, the plan takes it off n2": changed("web-2", node="n1"),
    "default/web-2 on n2 is terminating already": changed("web-2", terminating=True),
    "default/web-2 on n2 has other requests than the plan knows": changed("web-2", requests=make_resources(cpu=1)),
    "such pods of ReplicaSet default/big-rs that stay on n3: 1, the plan was made for 0": changed("big-0", node="n3"),
    "such pods of ReplicaSet default/big-rs that stay on n3: 1, the plan was made for 0 ": changed(
        "big-0", nominated_node="n3"
    ),
    "such pods of ReplicaSet default/big-rs that stay on n2: 1, the plan was made for 0": with_pods(
        the_paper(), make_pod("big-1", node="n2", workload="big", cpu=500)
    ),
    "such pods of ReplicaSet default/big-rs that wait for a node: 0, the plan was made for 1": with_pods(
        the_paper(), without=("big-0",)
    ),
    "such pods of ReplicaSet default/big-rs that wait for a node: 0, the plan was made for 1 ": changed(
        "big-0", terminating=True
    ),
    "such pods of ReplicaSet default/big-rs that wait for a node: 2, the plan was made for 1": with_pods(
        the_paper(), make_pod("big-1", node=None, workload="big", cpu=500)
    ),
    "such pods of ReplicaSet default/web-rs that stay on n3: 1, the plan was made for 2": with_pods(
        the_paper(), without=("web-1",)
    ),
}


@pytest.mark.parametrize("reason", DRIFTED)
def test_what_has_drifted_is_named(reason: str) -> None:
    assert said(the_papers_plan(), DRIFTED[reason]) == f"plan-drift: {reason.rstrip()}"


def test_a_pod_of_another_size_is_no_drift() -> None:
    other = with_pods(the_paper(), make_pod("big-1", node=None, workload="big", cpu=1))

    assert said(the_papers_plan(), other) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"phase": Phase.FAILED}, "default/bare, to be placed on n1, is gone"),
        ({"terminating": True}, "default/bare, to be placed on n1, is gone"),
        ({"node": "n1"}, "default/bare, to be placed on n1, is bound to n1"),
        ({"node": "n2"}, "default/bare, to be placed on n1, is bound to n2"),
        ({"nominated_node": "n2"}, "default/bare, to be placed on n1, is nominated to n2"),
        ({"nominated_node": "n1"}, None),
    ],
)
def test_a_bare_pod_must_still_wait(changes: Mapping[str, Any], reason: str | None) -> None:
    before = make_cluster([make_node("n1"), make_node("n2")], [BARE])
    plan = make_plan(before, place={"bare": "n1"})

    assert said(plan, before) is None
    assert said(plan, with_pods(before, without=("bare",))) == "plan-drift: default/bare, to be placed on n1, is gone"
    now = with_pods(before, replace(BARE, **changes))
    assert said(plan, now) == (None if reason is None else f"plan-drift: {reason}")


def test_pods_that_wait_for_a_preemption_are_counted_where_they_are_nominated() -> None:
    pods = [
        make_pod("web-0", node="n1"),
        make_pod("web-1", node=None, nominated_node="n2"),
        make_pod("web-2", node=None),
    ]
    before = make_cluster([make_node("n1"), make_node("n2")], pods)

    assert said(make_plan(before, place={"web-2": "n2"}), before) is None


def test_an_evicted_pod_is_among_those_that_get_no_node() -> None:
    pods = [
        make_pod("low-0", workload="low", cpu=500),
        make_pod("low-1", workload="low", node="n2", cpu=500),
        make_pod("high-0", workload="high", node=None, priority=10, cpu=500),
    ]
    nodes = [make_node("n1", cpu=500), make_node("n2", cpu=500)]
    before = make_cluster(nodes, pods, [make_workload("low", wanted=2), make_workload("high", wanted=1)])
    plan = make_plan(before, place={"high-0": "n1"}, evict=["low-0"])

    assert plan.headcounts[0].unplaced == 1
    assert said(plan, before) is None


@pytest.mark.parametrize("kind", ["nodes", "pods"])
def test_what_could_not_be_read_is_unknown(kind: str) -> None:
    blind = replace(the_paper(), unreadable={kind: "403"})

    assert said(the_papers_plan(), blind) == f"unreadable: {kind} could not be read, so they are unknown: 403"


# ---------------------------------------------------------------------- worth


def contest(*, low: int = 1, high_priority: int = 10, **plan: Any) -> str | None:
    """Return what is said of a plan that evicts `low` pods of priority 0 for one pod of another priority."""
    victims = [make_pod(f"low-{at}", workload=f"low{at}", node=f"n{at}", cpu=900) for at in range(low)]
    spare = [make_pod(f"spare-{at}", workload=f"low{at}", node="n9", cpu=1) for at in range(low)]
    high = make_pod("high-0", workload="high", node=None, priority=high_priority, cpu=900)
    nodes = [make_node(f"n{at}", cpu=1000) for at in (0, 1, 2, 9)]
    before = make_cluster(nodes, [*victims, *spare, high])
    steps = make_plan(before, place={"high-0": "n0"}, evict=[f"low-{at}" for at in range(low)])
    return said(steps, before, make_plan_policy(**plan))


def test_pods_go_for_a_more_important_one() -> None:
    assert contest() is None
    assert contest(low=2) is None


def test_pods_do_not_go_for_one_of_their_own_priority() -> None:
    reason = "no-gain: pods of priority 0 that would lose their place for no more important gain: 1"

    assert contest(high_priority=0) == reason
    assert contest(high_priority=-1) == reason


def test_with_the_switch_a_count_decides_within_a_priority() -> None:
    assert contest(high_priority=0, evict_for_count=True) == "no-gain: pods that would lose their place for as many: 1"
    assert contest(high_priority=0, low=2, evict_for_count=True) == (
        "no-gain: pods of priority 0 that would lose their place for no more important gain: 2"
    )


@given(gained=st.integers(0, 3), lost=st.integers(0, 3), evict_for_count=st.booleans())
def test_a_count_within_one_priority_must_grow_and_only_with_the_switch(
    gained: int, lost: int, *, evict_for_count: bool
) -> None:
    running = [make_pod(f"low-{at}", workload=f"low{at}", node=f"n{at}") for at in range(lost)]
    twins = [make_pod(f"twin-{at}", workload=f"low{at}", node="n9") for at in range(lost)]
    waiting = [make_pod(f"new-{at}", workload=f"new{at}", node=None) for at in range(gained)]
    before = make_cluster([make_node(f"n{at}") for at in (0, 1, 2, 9)], [*running, *twins, *waiting])
    plan = make_plan(before, place={pod.name: "n9" for pod in waiting}, evict=[pod.name for pod in running])

    reason = said(plan, before, make_plan_policy(evict_for_count=evict_for_count))

    assert (reason is None) == (lost == 0 or (evict_for_count and gained > lost))


def test_a_plan_has_no_more_disruptions_than_allowed() -> None:
    reason = said(the_papers_plan(), the_paper(), make_plan_policy(max_disruptions=0))

    assert reason == "plan-size: disruptions: 1, plan.maxDisruptions is 0"


# ---------------------------------------------------------------------- end state and rails


def test_what_cannot_stand_in_the_end_is_refused() -> None:
    small = with_node(the_paper(), make_node("n2", cpu=600))

    assert said(the_papers_plan(), small) == "plan-room: n2 would lack 400 of cpu with default/big-0 on it"


def two_moves() -> Cluster:
    """Return two workloads with a pod each on n1 and two more elsewhere, and room on n2."""
    pods = [
        make_pod(f"{name}-{at}", workload=name, node=f"n{at + 1}", labels={"app": name, "team": "a"})
        for name in ("web", "api")
        for at in range(3)
    ]
    return make_cluster([make_node(f"n{at}") for at in (1, 2, 3)], pods)


BOTH = {"web-0": "n2", "api-0": "n3"}


def test_two_moves_are_valid_together() -> None:
    assert said(make_plan(two_moves(), move=BOTH), two_moves()) is None


def test_a_rail_protects_pods_from_plans_too() -> None:
    vetoed = with_pods(two_moves(), replace(two_moves().pods["uid-api-0"], annotations={"bayplan.dev/no-evict": ""}))

    assert said(make_plan(vetoed, move=BOTH), vetoed) == "veto: annotation bayplan.dev/no-evict='' on the pod"


def test_pdbs_are_counted_jointly() -> None:
    def pdb(count: int | None) -> Cluster:
        selector = LabelSelector((Requirement("team", Operator.IN, ("a",)),))
        budget = Pdb(namespace="default", name="team", selector=selector, disruptions_allowed=count)
        return replace(two_moves(), pdbs=(budget,))

    plan = make_plan(two_moves(), move=BOTH)
    assert said(plan, pdb(2)) is None
    assert said(plan, pdb(1)) == "pdb: PDB default/team allows 1, 1 used by this cycle"
    assert said(plan, pdb(None)) == ("pdb: what PDB default/team allows is not known, its status is missing or lags")


def test_limits_are_counted_jointly_with_the_ledger() -> None:
    policy = make_plan_policy(eviction={"limits": (Limit(scope="node", max=2, window=600.0),)})
    plan, record = make_plan(two_moves(), move=BOTH), make_record("other-0", workload="other", ago=60)

    assert said(plan, two_moves(), policy) is None
    assert said(plan, two_moves(), policy, records=(record,)) == (
        "limits: node limit of 2 per 600 s: 2 used, frees in 540 s"
    )


def test_one_pod_of_a_workload_goes_in_a_plan() -> None:
    plan = make_plan(two_moves(), move={"web-0": "n2", "web-1": "n3"})

    assert said(plan, two_moves()) == ("in-flight: default/web-0 of Deployment default/web was chosen in this cycle")


def test_what_a_plan_failed_with_lately_is_refused() -> None:
    pair = (WorkloadRef("Deployment", "default", "web"), "n2")

    reason = said(the_papers_plan(), the_paper(), resting={pair: NOW + 60})

    assert reason == "failed-plan: a plan that moved Deployment default/web off n2 failed: rests for another 60 s"


# ---------------------------------------------------------------------- steps


def step(plan: Plan, cluster: Cluster, at: int = 0, **changes: Any) -> str | None:
    """Return in words why a step must not be taken."""
    refusal = step_still_good(plan, plan.disruptions[at], situation_of(cluster, **changes))
    return None if refusal is None else str(refusal)


def after_the_first(cluster: Cluster) -> tuple[Cluster, dict[str, Any]]:
    """Return the state in which `web-0` has been evicted, and what the situation knows of it."""
    return with_pods(cluster, without=("web-0",)), {"records": (make_record("web-0", rule="plan", ago=1),)}


def test_each_step_is_good_after_those_before() -> None:
    plan = make_plan(two_moves(), move=BOTH)
    later, known = after_the_first(two_moves())

    assert step(plan, two_moves()) is None
    assert step(plan, later, 1, **known) is None


def test_a_pod_that_has_moved_on_is_no_step_any_more() -> None:
    assert step(the_papers_plan(), GONE) == "plan-drift: default/web-2 on n2 is gone"


def test_nobody_is_evicted_for_pods_that_were_scaled_away_or_deleted() -> None:
    plan = the_papers_plan()
    away = scaled(with_pods(the_paper(), without=("big-0",)), "big", 0)
    bare = with_pods(the_paper(), BARE, without=("big-0",))
    pinned = make_plan(bare, move={"web-2": "n1"}, place={"bare": "n2"})

    assert step(plan, away) == "no-gain: nobody waits any more for what the plan makes room for"
    assert step(pinned, with_pods(bare, without=("bare",))) == step(plan, away)
    assert step(pinned, bare) is None
    assert step(plan, with_pods(the_paper(), without=("big-0",))) is None  # its successor is about to come


def test_a_relief_makes_room_for_nobody_and_is_not_in_vain() -> None:
    assert step(make_plan(the_paper(), move={"web-2": "n1"}), the_paper()) is None


def test_a_pdb_that_has_closed_stops_the_next_step() -> None:
    plan = make_plan(two_moves(), move=BOTH)
    later, known = after_the_first(replace(two_moves(), pdbs=(allows(0, "api"),)))

    assert step(plan, later, 1, **known) == "pdb: PDB default/pdb allows 0"


def test_room_that_is_gone_stops_the_next_step() -> None:
    plan = make_plan(two_moves(), move=BOTH)
    later, known = after_the_first(with_node(two_moves(), make_node("n2", cpu=250)))

    assert step(plan, later, 1, **known) == "plan-room: n2 would lack 50 of cpu with default/web-0 on it"


def test_a_step_looks_at_nothing_that_could_not_be_read() -> None:
    blind = replace(the_paper(), unreadable={"nodes": "timeout"})

    assert step(the_papers_plan(), blind) == "unreadable: nodes could not be read, so they are unknown: timeout"
